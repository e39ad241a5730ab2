/* Rewritten classes, made by any thread a little ahead of the thread that writes them.
 *
 * Work is a list of classes, cut into lanes (one per output) and these into batches. The thread that
 * writes an output walks its lane in order. A batch it needs is rewritten by itself if nobody has
 * begun; if somebody has, it works on other batches until that one is ready. So no thread waits while
 * there is work, one thread alone needs no other, and what is held is bounded: a lane's batches are
 * begun only a window ahead of where it is written. */

#ifndef INSTRUMENT_CONVEYOR_H
#define INSTRUMENT_CONVEYOR_H

#include "instrument/run.h"

struct ins_conveyor;

/* What became of one class. */
struct ins_rewritten {
    struct ar_packed packed; /* to be written, changed or not */
    bool is_changed;
};

/* Classes [first, end) of the work belong to one output. */
struct ins_lane {
    uint32_t first;
    uint32_t end;
    /* NULL: packed classes are kept for ins_conveyor_get. Else called for each class by the thread
     * that rewrote it, and nothing is kept. */
    enum mb_status (*deliver)(void *context, const struct ins_class *cls, struct mb_text content,
                              bool is_changed, struct mb_error *err);
    void *context;
};

/* work and lanes are borrowed. NULL when out of memory. Free with ins_conveyor_destroy. */
struct ins_conveyor *ins_conveyor_create(struct ins_run *run, struct ins_class **work,
                                         const struct ins_lane *lanes, size_t lane_count);
void ins_conveyor_destroy(struct ins_conveyor *conveyor);

/* Batches of all lanes: how many threads can be of use. */
size_t ins_conveyor_batch_count(const struct ins_conveyor *conveyor);

/* Others may now work on the lane. Each lane is opened and closed once, by the thread that writes
 * it, also when that fails. */
void ins_conveyor_open(struct ins_conveyor *conveyor, size_t lane);
void ins_conveyor_close(struct ins_conveyor *conveyor, size_t lane);

/* The class at `index` of the work, which must not go back. Stays until a class of a later batch is
 * asked for, or the lane is closed. */
MB_MUST_CHECK enum mb_status ins_conveyor_get(struct ins_conveyor *conveyor, unsigned worker,
                                              size_t lane, uint32_t index,
                                              struct ins_rewritten *rewritten,
                                              struct mb_error *err);

/* Work through what is left of the lane, when it delivers. */
MB_MUST_CHECK enum mb_status ins_conveyor_drain(struct ins_conveyor *conveyor, unsigned worker,
                                                size_t lane, struct mb_error *err);

/* A writer has failed: helpers may go, lanes that are not open yet stay so. */
void ins_conveyor_stop(struct ins_conveyor *conveyor);

/* Work on the lanes of others until all work is begun, or ins_conveyor_stop. When there is nothing to
 * do for now, idle does something else for a moment; false if it knows of nothing. */
void ins_conveyor_help(struct ins_conveyor *conveyor, unsigned worker,
                       bool (*idle)(void *context, unsigned worker), void *context);

#endif
