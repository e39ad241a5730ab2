#include "instrument/run.h"

#include <stdlib.h>
#include <string.h>

/* A method map has a line at least for messages, so an empty one was cut off, or never written. */
static enum mb_status load_base(struct ins_run *run, const char *path, struct mb_error *err)
{
    struct mb_error warning;

    MB_TRY(abi_methodmap_load(&run->base, path, err));
    if (run->base.text.size > 0) {
        return MB_OK;
    }
    (void)mb_fail(&warning, MB_BAD_TEXT, MB_NO_OFFSET, "is empty, so no method keeps its id");
    mb_error_in_input(&warning, path);
    return ins_warnings_add(&run->warnings, 0, &warning, err);
}

static enum mb_status load_texts(struct ins_run *run, struct mb_error *err)
{
    const struct ins_options *options = run->options;
    struct rule_options rules = {
        .profile = options->profile,
        .drop_default_blacklist = options->no_default_blacklist,
        .beat_class = run->beat.class_name,
        .blacklists = options->blacklists.items,
        .blacklist_count = options->blacklists.count,
    };

    MB_TRY(rule_set_create(&run->rules, &rules, err));
    if (options->mapping != NULL) {
        MB_TRY(rule_names_load(&run->mapping, options->mapping, err));
    }
    run->has_base = options->base_map != NULL;
    return run->has_base ? load_base(run, options->base_map, err) : MB_OK;
}

enum mb_status ins_run_init(struct ins_run *run, const struct ins_options *options,
                            struct ins_counts *counts, struct mb_error *err)
{
    run->options = options;
    run->counts = counts;
    run->beat = (struct ins_beat){
        .class_name = mb_text_of(options->beat_class),
        .exceptions = options->exceptions,
    };
    ins_warnings_init(&run->warnings);
    ins_findings_init(&run->findings);
    run->workers = ins_workers_create(options->jobs);
    run->names = ins_names_create();
    run->publish = mb_publish_create();
    if (run->workers == NULL || run->names == NULL || run->publish == NULL) {
        return mb_fail_memory(err);
    }
    run->scratch = calloc(ins_workers_count(run->workers), sizeof(*run->scratch));
    if (run->scratch == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(load_texts(run, err));
    run->describer = (struct ins_describer){run->names, run->mapping, options->profile};
    return MB_OK;
}

static void finish_scratch(struct ins_scratch *scratch)
{
    ar_codec_destroy(scratch->codec);
    ins_rewriter_destroy(scratch->rewriter);
    mb_buf_finish(&scratch->content);
    mb_buf_finish(&scratch->rewritten);
    mb_buf_finish(&scratch->text);
    mb_arena_finish(&scratch->arena);
    mb_arena_finish(&scratch->keep);
}

void ins_run_finish(struct ins_run *run)
{
    unsigned worker_count = run->workers != NULL ? ins_workers_count(run->workers) : 0;

    ins_workers_destroy(run->workers);
    for (unsigned i = 0; run->scratch != NULL && i < worker_count; i++) {
        finish_scratch(&run->scratch[i]);
    }
    free(run->scratch);
    ins_hold_finish(&run->hold);
    ins_numbering_finish(&run->numbering);
    ins_sources_finish(&run->sources);
    abi_methodmap_finish(&run->base);
    rule_names_destroy(run->mapping);
    rule_set_destroy(run->rules);
    ins_names_destroy(run->names);
    ins_state_finish(&run->state);
    mb_buf_finish(&run->known_lines);
    ins_warnings_finish(&run->warnings);
    ins_findings_finish(&run->findings);
    free((void *)run->classes);
    mb_publish_destroy(run->publish); /* last: its janitor needs a moment to go */
    mb_arena_finish(&run->arena);
}

enum mb_status ins_scratch_prepare(struct ins_run *run, unsigned worker, struct mb_error *err)
{
    struct ins_scratch *scratch = &run->scratch[worker];

    if (scratch->codec == NULL) {
        scratch->codec = ar_codec_create(run->options->compression);
    }
    if (scratch->rewriter == NULL) {
        scratch->rewriter = ins_rewriter_create(&run->beat);
    }
    return scratch->codec != NULL && scratch->rewriter != NULL ? MB_OK : mb_fail_memory(err);
}

void ins_tell_progress(const struct ins_run *run, size_t done, size_t total)
{
    if (run->options->progress != NULL) {
        run->options->progress(run->options->context, done, total);
    }
}

enum mb_status ins_check_interrupt(struct mb_error *err)
{
    return mb_is_interrupted() ? mb_fail(err, MB_INTERRUPTED, MB_NO_OFFSET, "interrupted") : MB_OK;
}

enum mb_status ins_warn_class(struct ins_run *run, const struct ins_class *cls,
                              const struct mb_error *reason, struct mb_error *err)
{
    const struct ar_input *archive = run->sources.items[cls->source].archive;
    const struct ar_entry *entry = ar_input_entry(archive, cls->entry);
    struct mb_error warning = *reason;

    mb_error_in_entry(&warning, ar_input_path(archive), entry->name.data, entry->name.size);
    return ins_warnings_add(&run->warnings, ins_place(cls->source, cls->entry), &warning, err);
}
