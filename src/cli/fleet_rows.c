/* methodbeat fleet rows */

#include "abi/tracefile.h"
#include "answer/model.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/fleet.h"
#include "cli/output.h"
#include "cli/values.h"
#include "issues/fleet/packer.h"
#include "issues/fleet/rows.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct arguments {
    struct cli_values given;
    struct issues_map_source source;
};

static bool is_packed(const char *path)
{
    return mb_text_ends(mb_text_of(path), MB_TEXT(".zst"));
}

static int parse_rows(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {"fleet rows", cli_options, &arguments->given,
                                      .operand = NULL};
    int code = cli_take_options(&parser, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    arguments->source.map = arguments->given.source.map;
    arguments->source.mapping = &arguments->given.mapping;
    arguments->source.paths = (const char *const *)(argv + optind);
    if (argc == optind) {
        return cli_fail_usage("fleet rows", "a spool, a file of issues or a trace is needed");
    }
    if (arguments->given.fleet.output == NULL) {
        return cli_fail_usage("fleet rows", "-o FILE.ndjson.zst is needed");
    }
    return is_packed(arguments->given.fleet.output) && !fleet_packer_exists()
               ? cli_fail_usage("fleet rows", "this build has no zstd: name the output .ndjson")
               : CLI_DONE;
}

/* ---- Inputs ---- */

/* True for a regular file that begins as traces do; false if it is absent. Fails if unreadable. */
static enum mb_status is_trace(const char *path, bool *is_one, struct mb_error *err)
{
    static const char magic[] = ABI_TRACE_MAGIC;
    char start[sizeof(magic) - 1];
    ptrdiff_t size = mb_file_read_start(path, start, sizeof(start));

    *is_one = size == (ptrdiff_t)sizeof(start) && memcmp(start, magic, sizeof(start)) == 0;
    return size >= 0 || errno == ENOENT ? MB_OK
                                        : mb_fail(err, MB_IO, MB_NO_OFFSET, "%s", strerror(errno));
}

static enum mb_status put_trace(struct fleet_rows *to, const struct arguments *arguments,
                                const char *path, struct mb_error *err)
{
    const struct answer_source source = {.path = path,
                                         .map = arguments->source.map,
                                         .finds_map = true,
                                         .mapping = arguments->source.mapping};
    const struct answer_options options = {.counted = ANSWER_AWAKE};
    struct answer_trace trace = {0};
    struct answer_model model = {0};
    enum mb_status status = answer_trace_load(&trace, &source, err);

    if (status == MB_OK) {
        status = answer_model_build(&model, &trace, &options, NULL, err);
    }
    if (status == MB_OK) {
        const struct fleet_traced traced = {
            &model.facts.process, &model.facts.clock,    &model.facts.threads,
            &model.facts.methods, &model.facts.requests, model.facts.recording.absorbed_calls};
        status = fleet_put_profile(to->writer, &traced, err);
    }
    answer_model_finish(&model);
    answer_trace_finish(&trace);
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

/* A trace that cannot be read is damage, as a file of issues is. */
static enum mb_status put_input(struct fleet_rows *to, const struct arguments *arguments,
                                struct issues_collection *all, const char *path,
                                struct mb_error *err)
{
    bool is_one;
    enum mb_status status = is_trace(path, &is_one, err);

    if (status == MB_OK && !is_one) {
        return issues_read(all, path, err);
    }
    if (status == MB_OK) {
        status = put_trace(to, arguments, path, err);
    }
    if (status == MB_NO_MEMORY || status == MB_INTERRUPTED || status == MB_OK) {
        return status;
    }
    issues_add_damage(all, path, 0, err->reason);
    return MB_OK;
}

static enum mb_status put_inputs(struct fleet_rows *to, const struct arguments *arguments,
                                 struct issues_collection *all, struct mb_error *err)
{
    for (const char *const *path = arguments->source.paths; *path != NULL; path++) {
        MB_TRY(put_input(to, arguments, all, *path, err));
    }
    if (all->missing_count > 0 || (arguments->given.is_strict && all->damage_count > 0)) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "an input is %s: nothing was written",
                       all->missing_count > 0 ? "missing" : "unreadable");
    }
    return fleet_writer_end(to->writer, err);
}

/* ---- Outputs ---- */

static enum mb_status write_rows(struct fleet_rows *to, const struct arguments *arguments,
                                 struct issues_collection *all, struct mb_error *err)
{
    struct cli_output output;
    struct fleet_writer writer = {0};
    enum mb_status status = cli_output_open(&output, arguments->given.fleet.output, err);
    const struct format_sink sink = cli_output_sink(&output);

    to->writer = &writer;
    if (status == MB_OK) {
        status = fleet_writer_init(&writer, &sink, is_packed(arguments->given.fleet.output), err);
    }
    if (status == MB_OK) {
        status = put_inputs(to, arguments, all, err);
    }
    if (status == MB_OK) {
        status = cli_output_commit(&output, err);
    }
    for (size_t i = 0; status == MB_OK && i < FLEET_TABLE_COUNT; i++) {
        if (writer.counts[i] > 0) {
            printf("%" PRIu64 " %s\n", writer.counts[i], fleet_schemas[i].name);
        }
    }
    to->writer = NULL;
    fleet_writer_finish(&writer);
    cli_output_finish(&output);
    return status;
}

enum mb_status cli_fleet_begin(struct fleet_rows *rows, struct cli_values *given,
                               const char *const *paths, struct mb_error *err)
{
    const struct issues_map_source source = {
        .map = given->source.map, .mapping = &given->mapping, .paths = paths};
    enum mb_status status = rule_builds_open(&given->mapping, err);

    rows->latest_ms = (int64_t)time(NULL) * 1000 + FLEET_AHEAD_MS;
    if (status == MB_OK) {
        rows->mapping = &given->mapping;
        rows->names = issues_names_create(&source, err);
        status = rows->names != NULL ? MB_OK : err->status;
    }
    return status;
}

void cli_fleet_end(struct fleet_rows *rows, struct cli_values *given)
{
    for (size_t i = 0; i < FLEET_REFUSAL_COUNT; i++) {
        if (rows->refused[i] > 0) {
            (void)fprintf(stderr, "methodbeat: warning: %" PRIu64 " %s\n", rows->refused[i],
                          fleet_refusal_words[i]);
        }
    }
    uint64_t hash;
    for (size_t i = 0; rows->names != NULL && issues_names_missing(rows->names, i, &hash); i++) {
        (void)fprintf(stderr,
                      "methodbeat: warning: methods have numbers, as no method map %016" PRIx64
                      " is beside the inputs; --method-map names it, or its folder\n",
                      hash);
    }
    issues_names_destroy(rows->names);
    cli_end_builds(&given->mapping);
    fleet_rows_finish(rows);
}

static int run_rows(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct fleet_rows to = {.writer = NULL};
    struct issues_collection all;
    struct mb_error err;
    int code = parse_rows(&arguments, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (!fleet_rows_collect(&to, &all)) {
        return cli_fail_memory();
    }
    enum mb_status status = cli_fleet_begin(&to, &arguments.given, arguments.source.paths, &err);
    if (status == MB_OK) {
        status = write_rows(&to, &arguments, &all, &err);
    }
    if (status != MB_OK) {
        code = cli_fail(&err);
    }
    size_t damage_count;
    const struct mb_error *damage = issues_damage(&all, &damage_count);
    cli_print_warnings(damage, damage_count);
    cli_fleet_end(&to, &arguments.given);
    issues_collection_finish(&all);
    return code;
}

const struct cli_command cli_fleet_rows = {
    .name = "fleet rows",
    .summary = "make rows that compare of what devices wrote",
    .usage =
        "usage: methodbeat fleet rows -o FILE [OPTION...] SPOOL|FILE|TRACE...\n"
        "\n"
        "Make what one device or many wrote comparable: names in place of ids, as before R8, and\n"
        "keys of stacks from them.\n",
    .run = run_rows,
};
