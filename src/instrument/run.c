#include "instrument/run.h"

static enum mb_status init_inputs(struct ins_inputs *inputs, const struct ins_options *options,
                                  struct mb_error *err)
{
    struct rule_options rules = {
        .profile = options->profile,
        .drop_default_blacklist = options->no_default_blacklist,
        .beat_class = mb_text_of(options->beat_class),
        .blacklists = options->blacklists.items,
        .blacklist_count = options->blacklists.count,
    };

    return rule_set_create(&inputs->rules, &rules, err);
}

static enum mb_status load_mapping(struct ins_run *run, const char *path, struct mb_error *err)
{
    struct mb_error warning;

    MB_TRY(rule_mapping_load(&run->inputs.mapping, path, err));
    return rule_mapping_has_fault(run->inputs.mapping, path, &warning)
               ? plan_warnings_add(&run->model.warnings, 0, &warning, err)
               : MB_OK;
}

static void finish_inputs(struct ins_inputs *inputs)
{
    plan_sources_finish(&inputs->sources);
    rule_mapping_destroy(inputs->mapping);
    rule_set_destroy(inputs->rules);
}

/* Undo the renames of a killed run in the output folders before reading from them. */
static enum mb_status prepare_outputs(struct pub_outputs *publish,
                                      const struct ins_options *options, struct mb_error *err)
{
    const char *const paths[] = {options->method_map, options->ignore_map, options->explain,
                                 options->json,       options->state,      options->output_jar};

    for (size_t i = 0; i < MB_COUNT(paths); i++) {
        if (paths[i] != NULL) {
            MB_TRY(pub_prepare_beside(publish, paths[i], err));
        }
    }
    return options->output_dir != NULL ? pub_prepare(publish, options->output_dir, err) : MB_OK;
}

/* A method map has at least the message line, so an empty one was truncated, or never written. */
static enum mb_status load_base(struct ins_model *model, const char *path, struct mb_error *err)
{
    struct mb_error warning;

    MB_TRY(abi_methodmap_load(&model->base, path, err));
    if (model->base.text.size > 0) {
        return MB_OK;
    }
    (void)mb_fail_in(&warning, MB_BAD_TEXT, path, "is empty, so no method keeps its id");
    return plan_warnings_add(&model->warnings, 0, &warning, err);
}

static void finish_model(struct ins_model *model)
{
    plan_contents_finish(&model->contents);
    plan_library_finish(&model->library);
    plan_numbering_finish(&model->numbering);
    plan_order_finish(&model->order);
    abi_methodmap_finish(&model->base);
    mb_intern_destroy(model->names);
    plan_warnings_finish(&model->warnings);
}

enum mb_status ins_run_init(struct ins_run *run, const struct ins_options *options,
                            struct ins_counts *counts, struct mb_error *err)
{
    run->options = options;
    run->counts = counts;
    run->crew.compression = options->compression;
    run->crew.progress = options->progress;
    run->crew.context = options->context;
    plan_warnings_init(&run->model.warnings);
    run->outputs.publish = pub_create();
    if (run->outputs.publish == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(prepare_outputs(run->outputs.publish, options, err));
    MB_TRY(plan_crew_init(&run->crew, options->jobs, err));
    MB_TRY(init_inputs(&run->inputs, options, err));
    if (options->mapping != NULL) {
        MB_TRY(load_mapping(run, options->mapping, err));
    }
    return options->base_map != NULL ? load_base(&run->model, options->base_map, err) : MB_OK;
}

void ins_run_finish(struct ins_run *run)
{
    plan_crew_finish(&run->crew);
    finish_model(&run->model);
    finish_inputs(&run->inputs);
    history_finish(&run->history);
    emit_mapfiles_destroy(run->outputs.maps);
    pub_destroy(run->outputs.publish);
    mb_arena_finish(&run->arena);
}
