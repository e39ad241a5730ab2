#include "instrument/summary.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct unused {
    struct plan_warnings *warnings;
    enum mb_status status;
    struct mb_error *err;
};

static void warn_unused(void *context, const char *source, struct mb_text text)
{
    struct unused *unused = context;
    struct mb_error warning;

    if (unused->status == MB_OK) {
        (void)mb_fail_in(&warning, MB_BAD_TEXT, source, "'%.*s' matches nothing",
                         (int)(text.size < 100 ? text.size : 100), text.data);
        unused->status = plan_warnings_add(unused->warnings, 0, &warning, unused->err);
    }
}

enum mb_status ins_warn_unused_rules(struct plan_warnings *warnings, const struct rule_set *rules,
                                     struct mb_error *err)
{
    struct unused unused = {warnings, MB_OK, err};

    rule_set_each_unused(rules, warn_unused, &unused);
    return unused.status;
}

enum mb_status ins_warn_duplicates(struct plan_warnings *warnings,
                                   const struct plan_sources *sources, struct mb_error *err)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct ar_input *archive = sources->items[i].archive;
        size_t count = ar_input_duplicate_count(archive);
        struct mb_error warning;
        if (count > 0 && !sources->items[i].is_unchanged) {
            (void)mb_fail_in(&warning, MB_BAD_ARCHIVE, ar_input_path(archive),
                             "%zu %s with the name of a later one, which was kept", count,
                             count == 1 ? "entry" : "entries");
            MB_TRY(plan_warnings_add(warnings, plan_place(i, 0), &warning, err));
        }
    }
    return MB_OK;
}

enum mb_status ins_warn_closed(struct plan_warnings *warnings, const struct plan_sources *sources,
                               struct mb_error *err)
{
    for (uint32_t i = 0; i < sources->closed_count; i++) {
        const struct plan_closed *closed = &sources->closed[i];
        uint64_t place = plan_place(closed->outer, closed->outer_entry);
        struct mb_error warning = closed->reason;
        (void)snprintf(warning.reason, sizeof(warning.reason), "copied as it is: %.140s",
                       closed->reason.reason);
        if (!sources->items[closed->outer].is_unchanged) {
            MB_TRY(plan_warnings_add(warnings, place, &warning, err));
        }
    }
    return MB_OK;
}

struct kind_name {
    const char *one;
    const char *many;
};

static const struct kind_name kind_names[AR_ENTRY_KINDS] = {
    [AR_ENTRY_OTHER] = {"resource", "resources"},
    [AR_ENTRY_CLASS] = {"class", "classes"},
    [AR_ENTRY_DIRECTORY] = {"folder", "folders"},
    [AR_ENTRY_MANIFEST] = {"manifest", "manifests"},
    [AR_ENTRY_SIGNATURE] = {"signature", "signatures"},
    [AR_ENTRY_JAR] = {"jar", "jars"},
    [AR_ENTRY_DEX] = {"dex file or APK", "dex files or APKs"},
};

static void put_kinds(struct mb_buf *text, const size_t counts[AR_ENTRY_KINDS])
{
    const char *between = "";

    for (size_t i = 0; i < AR_ENTRY_KINDS; i++) {
        if (counts[i] > 0) {
            mb_buf_printf(text, "%s%zu %s", between, counts[i],
                          counts[i] == 1 ? kind_names[i].one : kind_names[i].many);
            between = ", ";
        }
    }
    mb_buf_put_string(text, between[0] == '\0' ? "nothing" : "");
    mb_buf_put_u1(text, '\0');
}

/* A mistyped path, or an archive of archives, looks like a run without work. */
enum mb_status ins_warn_classless(struct plan_warnings *warnings,
                                  const struct plan_sources *sources, const char *path,
                                  struct mb_error *err)
{
    size_t counts[AR_ENTRY_KINDS] = {0};
    struct mb_buf found = {0};
    struct mb_error warning;

    for (uint32_t i = 0; i < sources->count; i++) {
        const struct ar_input *archive = sources->items[i].archive;
        for (size_t k = 0; k < ar_input_count(archive); k++) {
            counts[ar_input_entry(archive, k)->kind]++;
        }
    }
    if (counts[AR_ENTRY_CLASS] > 0) {
        return MB_OK;
    }
    put_kinds(&found, counts);
    enum mb_status status = mb_buf_check(&found, err);
    if (status == MB_OK) {
        (void)mb_fail_in(&warning, MB_BAD_ARCHIVE, path, "no class to instrument among %s",
                         (const char *)found.bytes);
        status = plan_warnings_add(warnings, 0, &warning, err);
    }
    mb_buf_finish(&found);
    return status;
}

static void count_methods(struct ins_counts *counts, const struct plan_class *cls)
{
    for (uint16_t i = 0; i < cls->method_count; i++) {
        counts->traced_methods += cls->methods[i].verdict == RULE_TRACE;
        counts->ignored_methods += cls->methods[i].verdict == RULE_IGNORE;
        counts->skipped_methods += cls->methods[i].is_skipped;
        counts->huge_methods += cls->methods[i].is_huge;
    }
}

static void count_class(struct ins_counts *counts, const struct plan_class *cls)
{
    counts->classes++;
    counts->changed_classes += cls->is_changed && !cls->drops_hashes;
    counts->unhashed_modules += cls->drops_hashes;
    counts->unreadable_classes += !cls->is_readable;
    counts->instrumented_classes += cls->is_instrumented;
    counts->activities += cls->focus != WEAVE_FOCUS_NONE;
    count_methods(counts, cls);
}

void ins_count(struct ins_counts *counts, const struct plan_sources *sources)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct plan_source *source = &sources->items[i];
        counts->entries += ar_input_count(source->archive);
        counts->renamed_outputs += source->is_renamed;
        counts->unsigned_jars += plan_source_loses_signature(source);
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
    ROW(huge_methods),
    ROW(activities),
    ROW(unsigned_jars),
    ROW(unhashed_modules),
#undef ROW
};

static void put_warning(struct mb_json *json, const struct mb_error *warning)
{
    char line[sizeof(*warning) + 64];

    mb_json_break(json, "\n  ");
    mb_json_open(json, NULL, "{");
    mb_json_string(json, "input", warning->input);
    mb_json_string(json, "class", warning->class_name);
    mb_json_string(json, "method", warning->method);
    mb_json_string(json, "reason", warning->reason);
    if (warning->offset != MB_NO_OFFSET) {
        mb_json_count(json, "offset", warning->offset);
    }
    mb_json_string(json, "message", mb_error_format(warning, line, sizeof(line)));
    mb_json_close(json, "}");
}

static void put_renamed(struct mb_json *json, const struct plan_source *source, const char *path)
{
    mb_json_break(json, "\n  ");
    mb_json_open(json, NULL, "{");
    mb_json_string(json, "input", ar_input_path(source->archive));
    mb_json_string(json, "output", path);
    mb_json_close(json, "}");
}

static void put_lists(struct mb_json *json, const struct ins_report *report)
{
    mb_json_break(json, "\n ");
    mb_json_open(json, "renamed_outputs", "[");
    for (uint32_t i = 0; i < report->sources->count; i++) {
        if (report->sources->items[i].is_renamed) {
            put_renamed(json, &report->sources->items[i], report->paths[i]);
        }
    }
    mb_json_close(json, "]");
    mb_json_break(json, "\n ");
    mb_json_open(json, "warnings", "[");
    for (size_t i = 0; i < report->warnings->count; i++) {
        put_warning(json, &report->warnings->items[i].error);
    }
    mb_json_close(json, "]");
}

static void put_json(struct mb_buf *out, const struct ins_report *report)
{
    struct mb_json json = {.out = out};

    mb_json_open(&json, NULL, "{");
    mb_json_string(&json, "version", MB_VERSION);
    for (size_t i = 0; i < MB_COUNT(count_rows); i++) {
        const char *place = (const char *)report->counts + count_rows[i].offset;
        mb_json_break(&json, "\n ");
        mb_json_count(&json, count_rows[i].name, *(const uint64_t *)(const void *)place);
    }
    if (report->counts->mapping_hash != 0) {
        mb_json_break(&json, "\n ");
        mb_json_key(&json, "mapping_hash");
        mb_buf_printf(out, "\"%016" PRIx64 "\"", report->counts->mapping_hash);
    }
    put_lists(&json, report);
    mb_json_end(&json);
}

enum mb_status ins_write_json(const struct ins_report *report, struct pub_outputs *publish,
                              const char *path, struct mb_error *err)
{
    struct mb_buf json = {0};

    put_json(&json, report);
    enum mb_status status = mb_buf_check(&json, err);
    if (status == MB_OK) {
        status = pub_write(publish, path, json.bytes, json.size, err);
    }
    mb_buf_finish(&json);
    return status;
}
