/* Pass 2. Each thread takes the next output and writes it; a thread that finds none left helps the
 * others with their classes and, where there is nothing to help with, makes the mapping files. */

#include "instrument/mapfiles.h"
#include "instrument/merge.h"
#include "instrument/output.h"
#include "instrument/run.h"

#include <stdlib.h>

struct writer {
    struct ins_run *run;
    struct ins_conveyor *conveyor;
    struct ins_class **work;
    size_t work_count;
    struct ins_lane *lanes; /* one per source, or one for the merged jar */
    size_t lane_count;
    struct ins_output *outputs; /* one per lane; without a path for jars inside AARs */
    uint32_t *jobs;             /* outputs that are written by themselves */
    size_t job_count;
    size_t helper_count;
    struct ins_mapfiles *mapfiles;
};

static bool is_jar(const struct ins_source *source)
{
    return ar_input_kind(source->archive) == AR_INPUT_JAR;
}

/* --- planning --- */

/* Of a jar the classes that may change; of a folder all, since comparing is the larger part. */
static void plan_source(struct writer *writer, uint32_t number)
{
    const struct ins_source *source = &writer->run->sources.items[number];
    struct ins_lane *lane = &writer->lanes[number];

    lane->first = (uint32_t)writer->work_count;
    for (uint32_t i = 0; i < source->class_count; i++) {
        struct ins_class *cls = &source->classes[i];
        cls->is_changed = false; /* with --state it was what the last run made of it */
        if (!is_jar(source) || ins_is_packed_anew(cls)) {
            writer->work[writer->work_count++] = cls;
        }
    }
    lane->end = (uint32_t)writer->work_count;
    if (!is_jar(source)) {
        lane->deliver = ins_deliver_file;
        lane->context = &writer->outputs[number];
    }
}

/* With --state: the output is there, and so would be each jar inside it. */
static bool is_done(const struct ins_sources *sources, uint32_t number)
{
    for (uint32_t i = number; i <= number + sources->items[number].nested_count; i++) {
        if (!sources->items[i].is_done) {
            return false;
        }
    }
    return true;
}

static void plan_sources(struct writer *writer)
{
    const struct ins_run *run = writer->run;
    bool skips = false;

    for (uint32_t i = 0; i < run->sources.count; i++) {
        const char *path = run->output_paths[i];
        writer->outputs[i].source = i;
        writer->outputs[i].path = path;
        skips = path != NULL ? is_done(&run->sources, i) : skips; /* jars follow their AAR */
        if (!skips) {
            plan_source(writer, i);
        }
        if (path != NULL && !skips) {
            writer->jobs[writer->job_count++] = i;
        }
    }
}

static void plan_merged(struct writer *writer)
{
    struct ins_run *run = writer->run;
    struct ins_output *output = &writer->outputs[0];

    for (size_t i = 0; i < run->member_count; i++) {
        if (run->members[i].cls != NULL) {
            writer->work[writer->work_count++] = run->members[i].cls;
        }
    }
    writer->lanes[0].end = (uint32_t)writer->work_count;
    output->path = run->options->output_jar;
    output->members = run->members;
    output->member_count = run->member_count;
    writer->jobs[writer->job_count++] = 0;
}

static enum mb_status plan(struct writer *writer, struct mb_error *err)
{
    struct ins_run *run = writer->run;
    bool is_merged = run->options->output_jar != NULL;
    size_t class_count = 0;

    for (uint32_t i = 0; i < run->sources.count; i++) {
        class_count += run->sources.items[i].class_count;
    }
    writer->lane_count = is_merged ? 1 : run->sources.count;
    writer->work = MB_NEW_ARRAY(&run->arena, struct ins_class *, class_count);
    writer->lanes = MB_NEW_ARRAY(&run->arena, struct ins_lane, writer->lane_count);
    writer->outputs = MB_NEW_ARRAY(&run->arena, struct ins_output, writer->lane_count);
    writer->jobs = MB_NEW_ARRAY(&run->arena, uint32_t, writer->lane_count);
    if (writer->work == NULL || writer->lanes == NULL || writer->outputs == NULL ||
        writer->jobs == NULL) {
        return mb_fail_memory(err);
    }
    if (!is_merged) {
        plan_sources(writer);
    } else if (!run->is_resumed) { /* a merged jar that is in place stays as it is */
        plan_merged(writer);
    }
    writer->conveyor = ins_conveyor_create(run, writer->work, writer->lanes, writer->lane_count);
    for (size_t i = 0; i < writer->lane_count; i++) {
        writer->outputs[i].run = run;
        writer->outputs[i].conveyor = writer->conveyor;
        writer->outputs[i].work = writer->work;
        writer->outputs[i].lanes = writer->lanes;
    }
    return writer->conveyor != NULL ? MB_OK : mb_fail_memory(err);
}

/* --- writing --- */

/* Whether some class of the source, or of a jar inside it, may change. */
static bool has_work(const struct writer *writer, uint32_t number)
{
    uint32_t last = number + writer->run->sources.items[number].nested_count;

    return writer->lanes[number].first < writer->lanes[last].end;
}

static enum mb_status write_source(const struct writer *writer, const struct ins_output *output,
                                   struct mb_error *err)
{
    struct ins_source *source = &writer->run->sources.items[output->source];
    enum mb_status status = MB_OK;
    bool is_same = false;

    if (!is_jar(source)) {
        status = ins_write_folder(output, err);
    } else if (has_work(writer, output->source)) {
        status = ins_write_jar(output, err);
    } else {
        struct mb_text bytes = ar_input_bytes(source->archive);
        status = mb_publish_update(writer->run->publish, output->path, bytes.data, bytes.size,
                                   &is_same, err);
    }
    ins_source_drop(source);
    return status;
}

static enum mb_status write_output(struct writer *writer, unsigned worker, size_t job,
                                   struct mb_error *err)
{
    struct ins_output *output = &writer->outputs[writer->jobs[job]];
    output->worker = worker;
    enum mb_status status = ins_scratch_prepare(writer->run, worker, err);

    if (status == MB_OK) {
        status = writer->run->options->output_jar != NULL ? ins_write_merged(output, err)
                                                          : write_source(writer, output, err);
    }
    if (status != MB_OK) {
        ins_conveyor_stop(writer->conveyor);
    }
    return status;
}

/* Unmapping what a small run has kept takes a few percent of it. Whoever has nothing else to do gives
 * the pages back, while the last output is written; what that still needs comes back by itself. */
static void drop_kept_pages(const struct ins_sources *sources)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        if (sources->items[i].keeps_pages) {
            ar_input_drop_pages(sources->items[i].archive);
        }
    }
}

static bool make_lists(void *context, unsigned worker)
{
    return ins_mapfiles_step(context, worker);
}

/* There is little to help with while whoever writes lists the entries of an output. */
static void help(struct writer *writer, unsigned worker)
{
    ins_conveyor_help(writer->conveyor, worker, make_lists, writer->mapfiles);
    while (ins_mapfiles_step(writer->mapfiles, worker)) {
    }
}

/* One task per output, then one per thread that may be of help, then one to end with. */
static enum mb_status do_task(void *context, unsigned worker, size_t task, struct mb_error *err)
{
    struct writer *writer = context;

    if (task < writer->job_count) {
        return write_output(writer, worker, task, err);
    }
    if (task < writer->job_count + writer->helper_count) {
        help(writer, worker);
    } else {
        drop_kept_pages(&writer->run->sources);
    }
    return MB_OK;
}

static enum mb_status do_tasks(struct writer *writer, struct mb_error *err)
{
    size_t helper_count = ins_workers_count(writer->run->workers);
    size_t batch_count = ins_conveyor_batch_count(writer->conveyor);

    helper_count = helper_count < batch_count ? helper_count : batch_count;
    writer->helper_count = helper_count > 1 ? helper_count : 0;
    writer->mapfiles = ins_mapfiles_create(writer->run);
    if (writer->mapfiles == NULL) {
        return mb_fail_memory(err);
    }
    size_t task_count = writer->job_count + writer->helper_count + (writer->helper_count > 0);
    MB_TRY(ins_workers_run(writer->run->workers, task_count, do_task, writer, err));
    if (ins_findings_apply(&writer->run->findings)) {
        ins_mapfiles_restart(writer->mapfiles);
    }
    while (ins_mapfiles_step(writer->mapfiles, 0)) {
    }
    return MB_OK;
}

enum mb_status ins_write_outputs(struct ins_run *run, struct mb_error *err)
{
    struct writer writer = {.run = run};
    enum mb_status status = plan(&writer, err);

    status = status == MB_OK ? do_tasks(&writer, err) : status;
    enum mb_status closed = ins_mapfiles_finish(writer.mapfiles, status == MB_OK ? err : NULL);
    ins_conveyor_destroy(writer.conveyor);
    return status == MB_OK ? closed : status;
}
