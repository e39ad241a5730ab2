/* One output of the run, in the kind of its input. Each call runs on the thread that writes the
 * output; classes come from the conveyor. */

#ifndef EMIT_OUTPUT_H
#define EMIT_OUTPUT_H

#include "emit/conveyor.h"
#include "emit/write.h"

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
