/* What is told about a run when its work is done. */

#include "instrument/run.h"

#include <inttypes.h>
#include <stdlib.h>

struct unused {
    struct ins_run *run;
    enum mb_status status;
    struct mb_error *err;
};

static void warn_unused(void *context, const char *source, struct mb_text text)
{
    struct unused *unused = context;
    struct mb_error warning;

    if (unused->status == MB_OK) {
        (void)mb_fail(&warning, MB_BAD_TEXT, MB_NO_OFFSET, "'%.*s' matches nothing",
                      (int)(text.size < 100 ? text.size : 100), text.data);
        mb_error_in_input(&warning, source);
        unused->status = ins_warnings_add(&unused->run->warnings, 0, &warning, unused->err);
    }
}

enum mb_status ins_warn_unused_rules(struct ins_run *run, struct mb_error *err)
{
    struct unused unused = {run, MB_OK, err};

    rule_set_each_unused(run->rules, warn_unused, &unused);
    return unused.status;
}

enum mb_status ins_warn_duplicates(struct ins_run *run, struct mb_error *err)
{
    for (uint32_t i = 0; i < run->sources.count; i++) {
        const struct ar_input *archive = run->sources.items[i].archive;
        size_t count = ar_input_duplicate_count(archive);
        struct mb_error warning;
        if (count > 0 && !run->sources.items[i].is_known) {
            (void)mb_fail(&warning, MB_BAD_ARCHIVE, MB_NO_OFFSET,
                          "%zu %s with the name of a later one, which was kept", count,
                          count == 1 ? "entry" : "entries");
            mb_error_in_input(&warning, ar_input_path(archive));
            MB_TRY(ins_warnings_add(&run->warnings, ins_place(i, 0), &warning, err));
        }
    }
    return MB_OK;
}

enum mb_status ins_warn_again(struct ins_run *run, struct mb_error *err)
{
    for (size_t i = 0; run->is_resumed && i < run->state.warning_count; i++) {
        const struct ins_warning *warning = &run->state.warnings[i];
        uint64_t source = warning->place >> 32; /* 0: about the run, not an input */
        if (source > 0 && source <= run->sources.count && run->sources.items[source - 1].is_known) {
            MB_TRY(ins_warnings_add(&run->warnings, warning->place, &warning->error, err));
        }
    }
    return MB_OK;
}

static void count_methods(struct ins_counts *counts, const struct ins_class *cls)
{
    for (uint16_t i = 0; i < cls->method_count; i++) {
        counts->traced_methods += cls->methods[i].verdict == RULE_TRACE;
        counts->ignored_methods += cls->methods[i].verdict == RULE_IGNORE;
        counts->skipped_methods += cls->methods[i].is_skipped;
    }
}

static void count_class(struct ins_counts *counts, const struct ins_class *cls)
{
    counts->classes++;
    counts->changed_classes += cls->is_changed;
    counts->unreadable_classes += !cls->is_readable;
    counts->instrumented_classes += cls->is_instrumented;
    counts->activities += cls->focus != INS_FOCUS_NONE;
    count_methods(counts, cls);
}

void ins_count(struct ins_run *run)
{
    struct ins_counts *counts = run->counts;

    counts->inputs = run->options->inputs.count;
    counts->warnings = run->warnings.count;
    for (uint32_t i = 0; i < run->sources.count; i++) {
        const struct ins_source *source = &run->sources.items[i];
        counts->entries += ar_input_count(source->archive);
        for (uint32_t k = 0; k < source->class_count; k++) {
            if (!source->classes[k].is_dropped) {
                count_class(counts, &source->classes[k]);
            }
        }
    }
}

/* --- --json --- */

struct count_row {
    const char *name;
    size_t offset;
};

static const struct count_row count_rows[] = {
#define ROW(field)                                 \
    {                                              \
#field, offsetof(struct ins_counts, field) \
    }
    ROW(inputs),
    ROW(entries),
    ROW(classes),
    ROW(changed_classes),
    ROW(unreadable_classes),
    ROW(instrumented_classes),
    ROW(traced_methods),
    ROW(ignored_methods),
    ROW(skipped_methods),
    ROW(activities),
#undef ROW
};

static void put_warning(struct mb_buf *out, const struct mb_error *warning)
{
    char line[sizeof(*warning) + 64];

    mb_buf_put_string(out, "{\"input\":");
    mb_buf_put_json_string(out, mb_text_of(warning->input));
    mb_buf_put_string(out, ",\"class\":");
    mb_buf_put_json_string(out, mb_text_of(warning->class_name));
    mb_buf_put_string(out, ",\"method\":");
    mb_buf_put_json_string(out, mb_text_of(warning->method));
    mb_buf_put_string(out, ",\"reason\":");
    mb_buf_put_json_string(out, mb_text_of(warning->reason));
    if (warning->offset != MB_NO_OFFSET) {
        mb_buf_printf(out, ",\"offset\":%zu", warning->offset);
    }
    mb_buf_put_string(out, ",\"message\":");
    mb_buf_put_json_string(out, mb_text_of(mb_error_format(warning, line, sizeof(line))));
    mb_buf_put_string(out, "}");
}

static void put_json(struct mb_buf *out, const struct ins_run *run)
{
    mb_buf_put_string(out, "{\"version\":\"" MB_VERSION "\"");
    for (size_t i = 0; i < MB_COUNT(count_rows); i++) {
        const char *place = (const char *)run->counts + count_rows[i].offset;
        mb_buf_printf(out, ",\n \"%s\":%" PRIu64, count_rows[i].name,
                      *(const uint64_t *)(const void *)place);
    }
    mb_buf_put_string(out, ",\n \"warnings\":[");
    for (size_t i = 0; i < run->warnings.count; i++) {
        mb_buf_put_string(out, i > 0 ? ",\n  " : "\n  ");
        put_warning(out, &run->warnings.items[i].error);
    }
    mb_buf_put_string(out, "]}\n");
}

enum mb_status ins_write_json(struct ins_run *run, struct mb_error *err)
{
    struct mb_buf json = {0};

    if (run->options->json == NULL) {
        return MB_OK;
    }
    put_json(&json, run);
    enum mb_status status = mb_buf_check(&json, err);
    if (status == MB_OK) {
        status = mb_publish_write(run->publish, run->options->json, json.bytes, json.size, err);
    }
    mb_buf_finish(&json);
    return status;
}
