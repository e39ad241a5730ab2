/* One output of the run, in the kind of its input. Each call runs on the thread that writes the
 * output; classes come from the conveyor. */

#ifndef INSTRUMENT_EMIT_OUTPUT_H
#define INSTRUMENT_EMIT_OUTPUT_H

#include "archive/codec.h"
#include "instrument/emit/transform.h"
#include "instrument/emit/write.h"

/* Rewritten classes, made by any thread a little ahead of the thread that writes them.
 *
 * Work is a list of classes, cut into lanes (one per output) and these into batches. The thread
 * that writes an output walks its lane in order. It rewrites a batch that it needs itself unless
 * another thread has begun it; then it works on other batches until that one is ready. So no thread
 * waits while there is work, one thread alone needs no other, and what is held is bounded: a lane's
 * batches are begun only a window ahead of where it is written. */

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

struct emit_output {
    const struct emit_request *request;
    struct emit_conveyor *conveyor;
    struct plan_class **work; /* of the conveyor */
    const struct emit_lane *lanes;
    uint32_t source; /* the output; its lane has the same number. A merged jar has lane 0 */
    const char *path;
    unsigned worker;
    struct plan_scratch *scratch; /* of the worker */
};

/* True if some class of the source, or of a jar inside it, may change, or its signature goes. */
static inline bool emit_has_work(const struct emit_output *output, uint32_t source)
{
    const struct plan_source *item = &output->request->transformer.sources->items[source];

    return output->lanes[source].first < output->lanes[source + item->inner_count].end ||
           plan_source_loses_signature(item);
}

/* Write a jar: the entries in their order, all except planned classes copied in packed form. If no
 * class changes after all, the input's bytes. Permission to execute is kept. */
MB_MUST_CHECK enum mb_status emit_write_jar(const struct emit_output *output, struct mb_error *err);

/* Called by the conveyor for each class of a folder or of a class given by itself: writes the file
 * unless it exists with the same bytes. context is the struct emit_output. */
enum mb_status emit_deliver_file(void *context, const struct plan_class *cls,
                                 struct mb_text content, struct mb_error *err);

/* All files of a folder: the conveyor delivers classes, the others are copied. */
MB_MUST_CHECK enum mb_status emit_write_folder(const struct emit_output *output,
                                               struct mb_error *err);

/* Write the members to one jar; the work lists the classes among them. */
MB_MUST_CHECK enum mb_status emit_write_merged(const struct emit_output *output,
                                               struct mb_error *err);

static inline struct plan_source *emit_source_of(const struct emit_output *output)
{
    return &output->request->transformer.sources->items[output->source];
}

#endif
