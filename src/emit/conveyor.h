/* Rewritten classes, made by any thread a little ahead of the thread that writes them.
 *
 * Work is a list of classes, cut into lanes (one per output) and these into batches. The thread
 * that writes an output walks its lane in order. It rewrites a batch that it needs itself unless
 * another thread has begun it; then it works on other batches until that one is ready. So no thread
 * waits while there is work, one thread alone needs no other, and what is held is bounded: a lane's
 * batches are begun only a window ahead of where it is written. */

#ifndef EMIT_CONVEYOR_H
#define EMIT_CONVEYOR_H

#include "archive/codec.h"
#include "emit/transform.h"

struct emit_conveyor;

/* The result for one class. */
struct emit_rewritten {
    struct ar_packed packed; /* to be written, changed or not */
    bool is_changed;
};

/* Classes [first, end) of the work belong to one output. */
struct emit_lane {
    uint32_t first;
    uint32_t end;
    /* NULL: packed classes are kept for emit_conveyor_get. Otherwise called for each class by the
     * thread that rewrote it, and the class is not kept. */
    enum mb_status (*deliver)(void *context, const struct plan_class *cls, struct mb_text content,
                              struct mb_error *err);
    void *context;
};

/* All are borrowed. NULL when out of memory. Free with emit_conveyor_destroy. */
struct emit_conveyor *emit_conveyor_create(struct emit_transformer *transformer,
                                           struct plan_class **work, const struct emit_lane *lanes,
                                           size_t lane_count);
void emit_conveyor_destroy(struct emit_conveyor *conveyor);

/* Batches of all lanes: how many threads can be of use. */
size_t emit_conveyor_batch_count(const struct emit_conveyor *conveyor);

/* Others may now work on the lane. Each lane is opened and closed once, by the thread that writes
 * it, also when that fails. */
void emit_conveyor_open(struct emit_conveyor *conveyor, size_t lane);
void emit_conveyor_close(struct emit_conveyor *conveyor, size_t lane);

/* The class at `index` of the work, which must not decrease. Stays until a class of a later batch
 * is asked for, or the lane is closed. */
MB_MUST_CHECK enum mb_status emit_conveyor_get(struct emit_conveyor *conveyor, unsigned worker,
                                               size_t lane, uint32_t index,
                                               struct emit_rewritten *rewritten,
                                               struct mb_error *err);

/* Work through the rest of the lane, when it delivers. */
MB_MUST_CHECK enum mb_status emit_conveyor_drain(struct emit_conveyor *conveyor, unsigned worker,
                                                 size_t lane, struct mb_error *err);

/* A writer has failed: helpers may go, lanes that are not open yet stay so. */
void emit_conveyor_stop(struct emit_conveyor *conveyor);

/* Work on the lanes of others until all work is done. False: emit_conveyor_stop came before. */
bool emit_conveyor_help(struct emit_conveyor *conveyor, unsigned worker);

#endif
