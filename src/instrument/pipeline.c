/* The story of a run: read everything once and decide, number the traced methods, read again and
 * rewrite, list the results, then make all outputs appear. A run without a state of an earlier one
 * resumes from nothing. */

#include "instrument/emit/mapfiles.h"
#include "instrument/emit/write.h"
#include "instrument/plan/activities.h"
#include "instrument/plan/collect.h"
#include "instrument/plan/output_paths.h"
#include "instrument/run.h"
#include "instrument/slices.h"
#include "instrument/summary.h"

#include <string.h>

/* Find the paths of all outputs, which must differ from the inputs and from each other. */
static enum mb_status choose_paths(struct ins_run *run, struct mb_error *err)
{
    const struct ins_options *options = run->options;
    struct plan_sources *sources = &run->inputs.sources;
    const char *const named[] = {options->method_map, options->ignore_map, options->explain,
                                 options->json,       options->state,      options->output_jar};
    size_t count = MB_COUNT(named) + sources->count;
    const char **paths = MB_NEW_ARRAY(&run->arena, const char *, count);

    if (options->output_dir == NULL) {
        run->outputs.paths = MB_NEW_ARRAY(&run->arena, const char *, sources->count);
    } else {
        MB_TRY(
            plan_name_outputs(sources, options->output_dir, &run->arena, &run->outputs.paths, err));
    }
    if (run->outputs.paths == NULL || paths == NULL) {
        return mb_fail_memory(err);
    }
    memcpy(paths, named, sizeof(named));
    for (uint32_t i = 0; i < sources->count; i++) {
        paths[MB_COUNT(named) + i] = run->outputs.paths[i];
    }
    MB_TRY(plan_check_outputs(sources, paths, count, err));
    return plan_check_output_folders(sources, run->outputs.paths, err);
}

/* Outputs found up to date must still be unchanged when all others appear. */
static enum mb_status keep_outputs(const struct ins_run *run, struct mb_error *err)
{
    const struct ins_options *options = run->options;
    const char *const named[] = {options->method_map, options->ignore_map, options->output_jar};

    for (size_t i = 0; i < MB_COUNT(named); i++) {
        MB_TRY(pub_keep(run->outputs.publish, named[i], err));
    }
    for (uint32_t i = 0; i < run->inputs.sources.count; i++) {
        MB_TRY(pub_keep(run->outputs.publish, run->outputs.paths[i], err));
    }
    return MB_OK;
}

/* Load the model of the last run; or at least keep its ids, unless a base map gives them. */
static enum mb_status recall_state(struct ins_run *run, struct mb_error *err)
{
    const struct ins_options *options = run->options;
    struct history_request request = {
        .path = options->state,
        .can_resume = options->mapping == NULL, /* by which methods may change their classes */
        .sources = &run->inputs.sources,
        .output_paths = run->outputs.paths,
        .merged_path = options->output_jar,
        .workers = run->crew.workers,
    };

    if (options->state == NULL) {
        return MB_OK;
    }
    MB_TRY(keep_outputs(run, err));
    MB_TRY(ins_fingerprint(options, &request.fingerprint, err));
    run->outputs.fingerprint = request.fingerprint;
    MB_TRY(history_recall(&run->history, &request, err));
    return options->base_map == NULL && run->history.last_map != NULL
               ? abi_methodmap_load(&run->model.base, run->history.last_map, err)
               : MB_OK;
}

static enum mb_status open_inputs(struct ins_run *run, struct mb_error *err)
{
    const struct ins_list *paths = &run->options->inputs;
    struct ins_model *model = &run->model;

    MB_TRY(plan_sources_open(&run->inputs.sources, paths->items, paths->count, run->crew.workers,
                             err));
    MB_TRY(choose_paths(run, err));
    MB_TRY(recall_state(run, err));
    model->names = run->history.is_resumed ? history_take_names(&run->history) : mb_intern_create();
    model->describer =
        (struct plan_describer){model->names, run->inputs.mapping, run->options->profile};
    plan_contents_open(&model->contents, plan_contents_measure(&run->inputs.sources));
    return model->names != NULL ? MB_OK : mb_fail_memory(err);
}

static enum mb_status collect_classes(struct ins_run *run, struct mb_error *err)
{
    const struct plan_collect_request request = {
        .crew = &run->crew,
        .sources = &run->inputs.sources,
        .contents = &run->model.contents,
        .names = run->model.names,
        .rules = run->inputs.rules,
        .mapping = run->inputs.mapping,
        .warnings = &run->model.warnings,
        .beat_class = mb_text_of(run->options->beat_class),
        .calls_catch = run->options->exceptions == WEAVE_EXCEPTIONS_CATCH,
        .hashes_content = run->options->output_jar != NULL,
        .keeps_rules = run->options->explain != NULL,
        .interns_all_names = run->options->state != NULL,
    };

    return plan_collect(&request, err);
}

/* A merged jar that was recalled stays as it is. */
static enum mb_status merge_duplicates(struct ins_run *run, struct mb_error *err)
{
    const struct plan_merge_request request = {
        .sources = &run->inputs.sources,
        .names = run->model.names,
        .keeps_resources = run->options->keep_resources,
        .warnings = &run->model.warnings,
        .arena = &run->arena,
    };

    return run->options->output_jar != NULL && !run->history.is_resumed
               ? plan_merge(&request, &run->model.members, &run->model.member_count, err)
               : MB_OK;
}

static enum mb_status read_library(struct ins_run *run, struct mb_error *err)
{
    const struct ins_list *paths = &run->options->classpath;

    return plan_library_read(&run->model.library, &run->crew, run->model.names, paths->items,
                             paths->count, err);
}

static struct plan_focus_request focus_request(struct ins_run *run)
{
    return (struct plan_focus_request){
        .sources = &run->inputs.sources,
        .names = run->model.names,
        .mapping = run->inputs.mapping,
        .classes = run->model.order.classes,
        .class_count = run->model.order.count,
        .library = &run->model.library,
        .known = run->options->activities.items,
        .known_count = run->options->activities.count,
        .warnings = &run->model.warnings,
    };
}

/* Unless what they depend on is as it was in the last run. */
static enum mb_status find_activities(struct ins_run *run, struct mb_error *err)
{
    const struct plan_focus_request request = focus_request(run);

    if (history_keep_focus(&run->history, &run->inputs.sources)) {
        return MB_OK;
    }
    MB_TRY(read_library(run, err));
    return plan_assign_focus(&request, err);
}

/* Unless what it depends on is as it was in the last run. */
static enum mb_status find_boundary(struct ins_run *run, struct mb_error *err)
{
    const struct plan_boundary_request request = {
        .sources = &run->inputs.sources,
        .names = run->model.names,
        .classes = run->model.order.classes,
        .class_count = run->model.order.count,
    };

    return run->options->exceptions != WEAVE_EXCEPTIONS_CATCH ||
                   history_keep_boundary(&run->history, &run->inputs.sources)
               ? MB_OK
               : plan_assign_boundary(&request, err);
}

static enum mb_status number_methods(struct ins_run *run, struct mb_error *err)
{
    struct ins_model *model = &run->model;
    const struct plan_number_options options = {&model->describer, &model->base,
                                                run->history.last.end_id};

    MB_TRY(history_add_taken_ids(&run->history, &run->inputs.sources, &model->order,
                                 &model->describer, &model->base, err));
    return plan_number(&model->numbering, model->order.new_classes, model->order.new_count,
                       &options, err);
}

static enum mb_status order_classes(struct ins_run *run, struct mb_error *err)
{
    return plan_order_classes(&run->model.order, &run->inputs.sources, &run->history.known,
                              run->model.names, run->crew.workers, err);
}

/* In place of all decisions over several inputs (slices.h). */
static enum mb_status apply_ids(struct ins_run *run, struct mb_error *err)
{
    const struct plan_focus_request request = focus_request(run);
    const char *path = run->options->ids;
    union plan_ids ids = {0};
    enum mb_status status = plan_ids_load(&ids, path, ins_hash_choice(run->options), err);

    if (status == MB_OK) {
        status =
            plan_ids_apply(&ids, path, &request, run->options->exceptions == WEAVE_EXCEPTIONS_CATCH,
                           &run->model.numbering, err);
    }
    mb_buf_finish(&ids.buf);
    return status;
}

/* Pass 1, and the decisions over all classes. */
static enum mb_status decide_methods(struct ins_run *run, struct mb_error *err)
{
    MB_TRY(open_inputs(run, err));
    MB_TRY(collect_classes(run, err));
    MB_TRY(merge_duplicates(run, err));
    MB_TRY(order_classes(run, err));
    if (run->options->ids != NULL) {
        MB_TRY(apply_ids(run, err));
        return plan_find_rewritten(&run->inputs.sources, run->model.names, err);
    }
    MB_TRY(find_activities(run, err));
    MB_TRY(find_boundary(run, err));
    MB_TRY(plan_find_rewritten(&run->inputs.sources, run->model.names, err));
    return number_methods(run, err);
}

static enum mb_status open_maps(struct ins_run *run, struct mb_error *err)
{
    const struct ins_options *options = run->options;
    bool stay = run->outputs.are_maps_current;
    const struct emit_mapfile_paths paths = {
        .method_map = stay ? NULL : options->method_map,
        .ignore_map = stay ? NULL : options->ignore_map,
        .explain = options->explain,
    };

    return emit_mapfiles_open(run->outputs.maps, &paths, run->outputs.publish, err);
}

/* Pass 2. A run that resumes has to finish it to know whether the maps change. */
static enum mb_status write_outputs(struct ins_run *run, struct mb_error *err)
{
    struct ins_model *model = &run->model;
    const struct emit_map_model lines = {&model->describer, &run->inputs.sources, &model->order,
                                         &model->numbering, &model->base};

    run->outputs.maps = emit_mapfiles_create(&lines);
    if (run->outputs.maps == NULL) {
        return mb_fail_memory(err);
    }
    if (!run->history.is_resumed) {
        MB_TRY(open_maps(run, err));
    }
    const struct emit_request request = {
        .transformer = {.crew = &run->crew,
                        .contents = &run->model.contents,
                        .sources = &run->inputs.sources,
                        .names = run->model.names,
                        .warnings = &run->model.warnings,
                        .beat = {.class_name = mb_text_of(run->options->beat_class),
                                 .exceptions = run->options->exceptions,
                                 .grows_huge = run->options->grows_huge ||
                                               run->options->profile == RULE_PROFILE_MATRIX}},
        .publish = run->outputs.publish,
        .paths = run->outputs.paths,
        .merged_path = run->options->output_jar,
        .members = run->model.members,
        .member_count = run->model.member_count,
        .is_merged_current = run->history.is_resumed,
        .order = &model->order,
        .numbering = &model->numbering,
        .maps = run->outputs.maps,
    };

    return emit_outputs(&request, err);
}

static enum mb_status finish_maps(struct ins_run *run, struct mb_error *err)
{
    struct ins_outputs *outputs = &run->outputs;

    if (run->history.is_resumed) {
        outputs->are_maps_current =
            history_are_maps_current(&run->history, &run->inputs.sources, run->model.names,
                                     run->options->method_map, run->options->ignore_map);
        MB_TRY(open_maps(run, err));
        MB_TRY(emit_mapfiles_put_all(outputs->maps, run->crew.workers, err));
    }
    return emit_mapfiles_close(outputs->maps, err);
}

/* By which traces know the method map. */
static void hash_map(struct ins_run *run)
{
    run->counts->mapping_hash = run->outputs.are_maps_current
                                    ? run->history.last.method_map_hash
                                    : emit_mapfiles_hash(run->outputs.maps);
}

static enum mb_status show_warnings(struct ins_run *run, struct mb_error *err)
{
    const struct ins_options *options = run->options;
    struct plan_warnings *warnings = &run->model.warnings;

    plan_warnings_sort(warnings);
    if (options->strict && warnings->count > 0) {
        *err = warnings->items[0].error;
        return err->status;
    }
    for (size_t i = 0; options->warn != NULL && i < warnings->count; i++) {
        options->warn(options->context, &warnings->items[i].error);
    }
    return MB_OK;
}

static enum mb_status add_warnings(struct ins_run *run, struct mb_error *err)
{
    const struct ins_options *options = run->options;
    struct plan_warnings *warnings = &run->model.warnings;

    if (!run->history.is_resumed &&
        options->ids == NULL) { /* else most classes did not meet them */
        MB_TRY(ins_warn_unused_rules(warnings, run->inputs.rules, err));
    }
    const struct ins_list *paths = &options->inputs;
    MB_TRY(ins_warn_classless(warnings, &run->inputs.sources,
                              paths->count == 1 ? paths->items[0] : "the inputs", err));
    MB_TRY(ins_warn_closed(warnings, &run->inputs.sources, err));
    MB_TRY(ins_warn_duplicates(warnings, &run->inputs.sources, err));
    MB_TRY(history_warn_again(&run->history, &run->inputs.sources, warnings, err));
    return show_warnings(run, err);
}

static enum mb_status save_state(struct ins_run *run, struct mb_error *err)
{
    const struct history_record record = {
        .publish = run->outputs.publish,
        .path = run->options->state,
        .fingerprint = run->outputs.fingerprint,
        .names = run->model.names,
        .sources = &run->inputs.sources,
        .order = &run->model.order,
        .warnings = &run->model.warnings,
        .numbering = &run->model.numbering,
        .base = &run->model.base,
        .output_paths = run->outputs.paths,
        .merged_path = run->options->output_jar,
        .method_map = run->options->method_map,
        .method_map_hash = run->counts->mapping_hash,
        .ignore_map = run->options->ignore_map,
    };

    return run->options->state == NULL || history_is_unchanged(&run->history, &run->inputs.sources,
                                                               run->outputs.are_maps_current)
               ? MB_OK
               : history_state_save(&record, err);
}

static enum mb_status finish_summary(struct ins_run *run, struct mb_error *err)
{
    MB_TRY(add_warnings(run, err));
    ins_count(run->counts, &run->inputs.sources);
    run->counts->inputs = run->options->inputs.count;
    run->counts->warnings = run->model.warnings.count;
    const struct ins_report report = {run->counts, &run->inputs.sources, run->outputs.paths,
                                      &run->model.warnings};
    return run->options->json != NULL
               ? ins_write_json(&report, run->outputs.publish, run->options->json, err)
               : MB_OK;
}

/* Another run may have written to the folders since they were written for this one. */
static enum mb_status remove_stale(void *context, struct mb_error *err)
{
    const struct ins_run *run = context;
    const struct plan_sources *sources = &run->inputs.sources;

    for (uint32_t i = 0; i < sources->count; i++) {
        if (run->outputs.paths[i] != NULL) {
            MB_TRY(emit_remove_stale(run->outputs.publish, &sources->items[i],
                                     run->outputs.paths[i], err));
        }
    }
    return MB_OK;
}

static enum mb_status run_steps(struct ins_run *run, struct mb_error *err)
{
    MB_TRY(decide_methods(run, err));
    MB_TRY(write_outputs(run, err));
    MB_TRY(finish_maps(run, err));
    hash_map(run);
    MB_TRY(plan_sources_check_unchanged(&run->inputs.sources, err));
    MB_TRY(finish_summary(run, err));
    MB_TRY(save_state(run, err));
    pub_on_commit(run->outputs.publish, remove_stale, run);
    return pub_commit(run->outputs.publish, err);
}

/* --- the same in three, of which a build keeps each --- */

static enum mb_status collect_steps(struct ins_run *run, struct mb_error *err)
{
    const struct plan_order *order = &run->model.order;

    MB_TRY(open_inputs(run, err));
    MB_TRY(collect_classes(run, err));
    MB_TRY(order_classes(run, err));
    MB_TRY(ins_write_names(run->outputs.publish, run->options, run->model.names, order, err));
    MB_TRY(plan_sources_check_unchanged(&run->inputs.sources, err));
    MB_TRY(show_warnings(run, err));
    return pub_commit(run->outputs.publish, err);
}

static enum mb_status number_steps(struct ins_run *run, struct mb_error *err)
{
    struct ins_slices slices = {.options = run->options,
                                .publish = run->outputs.publish,
                                .sources = &run->inputs.sources,
                                .warnings = &run->model.warnings};

    slices.names = run->model.names = mb_intern_create();
    enum mb_status status =
        slices.names != NULL ? ins_load_names(&slices, err) : mb_fail_memory(err);
    status = status == MB_OK ? order_classes(run, err) : status;
    status = status == MB_OK ? find_activities(run, err) : status;
    status = status == MB_OK ? find_boundary(run, err) : status;
    status = status == MB_OK ? ins_write_slices(&slices, err) : status;
    status = status == MB_OK ? show_warnings(run, err) : status;
    ins_slices_finish(&slices);
    return status == MB_OK ? pub_commit(run->outputs.publish, err) : status;
}

enum mb_status ins_instrument(const struct ins_options *options, struct ins_counts *counts,
                              struct mb_error *err)
{
    static enum mb_status (*const steps[])(struct ins_run *, struct mb_error *) = {
        [INS_ALL] = run_steps, [INS_COLLECT] = collect_steps, [INS_NUMBER] = number_steps};
    struct ins_run run = {0};
    enum mb_status status = ins_run_init(&run, options, counts, err);

    status = status == MB_OK ? steps[options->step](&run, err) : status;
    ins_run_finish(&run);
    return status;
}
