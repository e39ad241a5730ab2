#include "instrument/emit/write.h"

#include "instrument/emit/output.h"

#include <pthread.h>
#include <stdlib.h>

struct writer {
    const struct emit_request *request;
    struct emit_transformer transformer;
    struct emit_conveyor *conveyor;
    struct plan_class **work;
    size_t work_count;
    struct emit_lane *lanes; /* one per source, or one for the merged jar */
    size_t lane_count;
    struct emit_output *outputs; /* one per lane; no path for jars inside archives */
    uint32_t *jobs;              /* outputs that are written by themselves */
    size_t job_count;
    size_t helper_count;
    pthread_mutex_t lock;
    bool are_ids_marked; /* under the lock */
    struct mb_arena arena;
};

static bool is_jar(const struct plan_source *source)
{
    return ar_input_kind(source->archive) == AR_INPUT_JAR;
}

/* --- planning --- */

/* For a jar, the classes that may change; for a folder all, since comparing takes longer than
 * rewriting. */
static void plan_lane(struct writer *writer, uint32_t number)
{
    const struct plan_source *source = &writer->transformer.sources->items[number];
    struct emit_lane *lane = &writer->lanes[number];

    lane->first = (uint32_t)writer->work_count;
    for (uint32_t i = 0; i < source->class_count; i++) {
        struct plan_class *cls = &source->classes[i];
        cls->is_changed = false; /* with --state it was the output of the last run */
        if (!is_jar(source) || plan_needs_rewrite(cls)) {
            writer->work[writer->work_count++] = cls;
        }
    }
    lane->end = (uint32_t)writer->work_count;
    if (!is_jar(source)) {
        lane->deliver = emit_deliver_file;
        lane->context = &writer->outputs[number];
    }
}

/* With --state: the output is there, and so would be each jar inside it. */
static bool is_current(const struct plan_sources *sources, uint32_t number)
{
    for (uint32_t i = number; i <= number + sources->items[number].inner_count; i++) {
        if (!sources->items[i].is_output_current) {
            return false;
        }
    }
    return true;
}

static void plan_lanes(struct writer *writer)
{
    const struct plan_sources *sources = writer->transformer.sources;
    bool skips = false;

    for (uint32_t i = 0; i < sources->count; i++) {
        const char *path = writer->request->paths[i];
        writer->outputs[i].source = i;
        writer->outputs[i].path = path;
        skips = path != NULL ? is_current(sources, i) : skips; /* jars inside go with it */
        if (!skips) {
            plan_lane(writer, i);
        }
        if (path != NULL && !skips) {
            writer->jobs[writer->job_count++] = i;
        }
    }
}

static void plan_merged_lane(struct writer *writer)
{
    const struct emit_request *request = writer->request;

    for (size_t i = 0; i < request->member_count; i++) {
        if (request->members[i].cls != NULL) {
            writer->work[writer->work_count++] = request->members[i].cls;
        }
    }
    writer->lanes[0].end = (uint32_t)writer->work_count;
    writer->outputs[0].path = request->merged_path;
    writer->jobs[writer->job_count++] = 0;
}

static enum mb_status make_room(struct writer *writer, struct mb_error *err)
{
    const struct plan_sources *sources = writer->transformer.sources;
    struct mb_arena *arena = &writer->arena;
    size_t class_count = 0;

    for (uint32_t i = 0; i < sources->count; i++) {
        class_count += sources->items[i].class_count;
    }
    writer->lane_count = writer->request->merged_path != NULL ? 1 : sources->count;
    writer->work = MB_NEW_ARRAY(arena, struct plan_class *, class_count);
    writer->lanes = MB_NEW_ARRAY(arena, struct emit_lane, writer->lane_count);
    writer->outputs = MB_NEW_ARRAY(arena, struct emit_output, writer->lane_count);
    writer->jobs = MB_NEW_ARRAY(arena, uint32_t, writer->lane_count);
    return writer->work != NULL && writer->lanes != NULL && writer->outputs != NULL &&
                   writer->jobs != NULL
               ? MB_OK
               : mb_fail_memory(err);
}

static enum mb_status prepare_conveyor(struct writer *writer, struct mb_error *err)
{
    MB_TRY(emit_transformer_init(&writer->transformer, err));
    MB_TRY(make_room(writer, err));
    if (writer->request->merged_path == NULL) {
        plan_lanes(writer);
    } else if (!writer->request->is_merged_current) {
        plan_merged_lane(writer);
    }
    writer->conveyor =
        emit_conveyor_create(&writer->transformer, writer->work, writer->lanes, writer->lane_count);
    for (size_t i = 0; i < writer->lane_count; i++) {
        writer->outputs[i].request = writer->request;
        writer->outputs[i].conveyor = writer->conveyor;
        writer->outputs[i].work = writer->work;
        writer->outputs[i].lanes = writer->lanes;
    }
    return writer->conveyor != NULL ? MB_OK : mb_fail_memory(err);
}

/* --- writing --- */

static enum mb_status write_source(const struct writer *writer, const struct emit_output *output,
                                   struct mb_error *err)
{
    struct plan_source *source = emit_source_of(output);
    enum mb_status status = MB_OK;
    bool is_same = false;

    if (!is_jar(source)) {
        status = emit_write_folder(output, err);
    } else if (emit_has_work(output, output->source) || ar_input_is_executable(source->archive)) {
        status = emit_write_jar(output, err);
    } else {
        struct mb_text bytes = ar_input_bytes(source->archive);
        status = pub_update(writer->request->publish, output->path, bytes.data, bytes.size,
                            &is_same, err);
    }
    plan_contents_drop(writer->transformer.contents, source);
    return status;
}

static enum mb_status write_output(struct writer *writer, unsigned worker, size_t job,
                                   struct mb_error *err)
{
    struct emit_output *output = &writer->outputs[writer->jobs[job]];
    output->worker = worker;
    enum mb_status status =
        plan_crew_scratch(writer->transformer.crew, worker, &output->scratch, err);

    if (status == MB_OK) {
        status = writer->request->merged_path != NULL ? emit_write_merged(output, err)
                                                      : write_source(writer, output, err);
    }
    if (status != MB_OK) {
        emit_conveyor_stop(writer->conveyor);
    }
    return status;
}

/* Once all classes are rewritten: the first that comes does it for all. */
static enum mb_status mark_ids(struct writer *writer, struct mb_error *err)
{
    const struct plan_order *order = writer->request->order;
    struct plan_numbering *numbering = writer->request->numbering;
    enum mb_status status = MB_OK;

    (void)pthread_mutex_lock(&writer->lock);
    if (!writer->are_ids_marked) {
        status = plan_index_ids(numbering, order->classes, order->count, err);
        if (status == MB_OK) {
            plan_mark_used_ids(numbering, order->classes, order->count);
            writer->are_ids_marked = true;
        }
    }
    (void)pthread_mutex_unlock(&writer->lock);
    return status;
}

/* One task per output, one per helping thread, then one per part of the mapping files. */
static enum mb_status do_task(void *context, unsigned worker, size_t task, struct mb_error *err)
{
    struct writer *writer = context;
    size_t helper_end = writer->job_count + writer->helper_count;

    if (task < writer->job_count) {
        return write_output(writer, worker, task, err);
    }
    if (!emit_conveyor_help(writer->conveyor, worker) || task < helper_end) {
        return MB_OK; /* the thread that stopped it has the error */
    }
    MB_TRY(mark_ids(writer, err));
    return emit_mapfiles_put(writer->request->maps, task - helper_end, err);
}

static enum mb_status do_tasks(struct writer *writer, struct mb_error *err)
{
    struct mb_workers *workers = writer->transformer.crew->workers;
    size_t helper_count = mb_workers_count(workers);
    size_t batch_count = emit_conveyor_batch_count(writer->conveyor);

    helper_count = helper_count < batch_count ? helper_count : batch_count;
    writer->helper_count = helper_count > 1 ? helper_count : 0;
    size_t task_count =
        writer->job_count + writer->helper_count + emit_mapfiles_part_count(writer->request->maps);
    return mb_workers_run(workers, task_count, do_task, writer, err);
}

enum mb_status emit_outputs(const struct emit_request *request, struct mb_error *err)
{
    struct writer writer = {.request = request, .transformer = request->transformer};
    enum mb_status status = prepare_conveyor(&writer, err);

    (void)pthread_mutex_init(&writer.lock, NULL);
    status = status == MB_OK ? do_tasks(&writer, err) : status;
    status = status == MB_OK ? mark_ids(&writer, err) : status;
    (void)pthread_mutex_destroy(&writer.lock);
    emit_conveyor_destroy(writer.conveyor);
    emit_transformer_finish(&writer.transformer);
    mb_arena_finish(&writer.arena);
    return status;
}
