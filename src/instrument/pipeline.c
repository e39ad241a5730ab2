/* The story of a run: read everything once and decide, number what is to be traced, read again and
 * rewrite, then let all outputs appear. */

#include "instrument/merge.h"
#include "instrument/places.h"
#include "instrument/run.h"
#include "instrument/sort.h"

#include <stdlib.h>
#include <string.h>

/* The classes that go to outputs, in the order in which methods are numbered. */
static enum mb_status gather_classes(struct ins_run *run, struct mb_error *err)
{
    size_t count = 0;

    for (uint32_t i = 0; i < run->sources.count; i++) {
        count += run->sources.items[i].class_count;
    }
    run->classes = calloc(count + 1, sizeof(*run->classes));
    if (run->classes == NULL) {
        return mb_fail_memory(err);
    }
    for (uint32_t i = 0; i < run->sources.count; i++) {
        const struct ins_source *source = &run->sources.items[i];
        for (uint32_t k = 0; k < source->class_count; k++) {
            if (source->classes[k].is_readable && !source->classes[k].is_dropped) {
                run->classes[run->class_count++] = &source->classes[k];
            }
        }
    }
    return ins_sort_classes(run->classes, run->class_count, run->names, run->workers, err);
}

/* Where everything goes, and that nothing goes where it comes from, or where something else does. */
static enum mb_status choose_places(struct ins_run *run, struct mb_error *err)
{
    const struct ins_options *options = run->options;
    const char *const named[] = {options->method_map, options->ignore_map, options->explain,
                                 options->json,       options->state,      options->output_jar};
    size_t count = MB_COUNT(named) + run->sources.count;
    const char **places = MB_NEW_ARRAY(&run->arena, const char *, count);

    if (options->output_jar != NULL) {
        run->output_paths = MB_NEW_ARRAY(&run->arena, const char *, run->sources.count);
    } else {
        MB_TRY(ins_name_outputs(&run->sources, options->output_dir, &run->arena, &run->output_paths,
                                err));
    }
    if (run->output_paths == NULL || places == NULL) {
        return mb_fail_memory(err);
    }
    memcpy(places, named, sizeof(named));
    for (uint32_t i = 0; i < run->sources.count; i++) {
        places[MB_COUNT(named) + i] = run->output_paths[i];
    }
    return ins_check_places(&run->sources, places, count, err);
}

/* Choose what goes to outputs, find Activities, number what is traced. */
static enum mb_status settle_classes(struct ins_run *run, struct mb_error *err)
{
    struct ins_number_options options = {&run->describer, run->has_base ? &run->base : NULL, 0};

    if (run->options->output_jar != NULL) {
        struct ins_member *members;
        MB_TRY(ins_merge(run, &members, &run->member_count, err));
        run->members = members;
    }
    MB_TRY(gather_classes(run, err));
    MB_TRY(ins_find_activities(run, err));
    return ins_number(&run->numbering, run->classes, run->class_count, &options, err);
}

/* The same for what has changed since the last run. */
static enum mb_status settle_new_classes(struct ins_run *run, struct mb_error *err)
{
    MB_TRY(ins_gather_again(run, err));
    MB_TRY(ins_find_activities_again(run, err));
    return ins_number_again(run, err);
}

static enum mb_status decide(struct ins_run *run, struct mb_error *err)
{
    MB_TRY(ins_sources_open(&run->sources, run->options->inputs.items, run->options->inputs.count,
                            run->workers, err));
    MB_TRY(choose_places(run, err));
    if (run->options->state != NULL) {
        MB_TRY(ins_resume(run, err));
    }
    MB_TRY(ins_collect(run, err));
    return run->is_resumed ? settle_new_classes(run, err) : settle_classes(run, err);
}

/* With --strict the first warning is why the run fails. */
static enum mb_status tell_warnings(struct ins_run *run, struct mb_error *err)
{
    const struct ins_options *options = run->options;

    if (!run->is_resumed) { /* else most classes did not meet the rules */
        MB_TRY(ins_warn_unused_rules(run, err));
    }
    MB_TRY(ins_warn_duplicates(run, err));
    MB_TRY(ins_warn_again(run, err));
    ins_warnings_sort(&run->warnings);
    if (options->strict && run->warnings.count > 0) {
        *err = run->warnings.items[0].error;
        return err->status;
    }
    for (size_t i = 0; options->warn != NULL && i < run->warnings.count; i++) {
        options->warn(options->context, &run->warnings.items[i].error);
    }
    return MB_OK;
}

/* Whether the state of the last run is this run's too. */
static bool is_as_before(const struct ins_run *run)
{
    bool is_same = run->is_resumed && run->are_maps_in_place;

    for (uint32_t i = 0; is_same && i < run->sources.count; i++) {
        is_same = run->sources.items[i].is_known &&
                  (run->sources.items[i].is_done || run->options->output_jar != NULL);
    }
    return is_same;
}

static enum mb_status instrument(struct ins_run *run, struct mb_error *err)
{
    MB_TRY(decide(run, err));
    MB_TRY(ins_write_outputs(run, err));
    MB_TRY(ins_sources_check_unchanged(&run->sources, err));
    MB_TRY(tell_warnings(run, err));
    ins_count(run);
    MB_TRY(ins_write_json(run, err));
    MB_TRY(mb_publish_commit(run->publish, err));
    return run->options->state != NULL && !is_as_before(run) ? ins_state_save(run, err) : MB_OK;
}

enum mb_status ins_instrument(const struct ins_options *options, struct ins_counts *counts,
                              struct mb_error *err)
{
    struct ins_run run = {0};
    enum mb_status status = ins_run_init(&run, options, counts, err);

    status = status == MB_OK ? instrument(&run, err) : status;
    ins_run_finish(&run);
    return status;
}
