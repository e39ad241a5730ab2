#include "answer/diff.h"
#include "answer/model.h"
#include "base/clock.h"
#include "cli/cache.h"
#include "cli/cli.h"
#include "cli/colour.h"
#include "cli/format.h"
#include "cli/gate.h"
#include "cli/output.h"
#include "cli/values.h"
#include "issues/names.h"
#include "issues/output.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_THRESHOLD_MS 700 /* upstream's evil method */
#define DEFAULT_TOP 20
#define MOST_ISSUES 50
#define FRAME_COLUMNS 40

struct arguments {
    struct cli_values given; /* no format: by the output's name, or text */
    struct answer_options report;
    struct format_look look;
    bool is_folder;      /* the output */
    char last[PATH_MAX]; /* the trace, if none is named */
    char *page;          /* where it goes to if no output is named; owned */
    struct cli_gate gate;
};

static size_t choose_top(const struct arguments *arguments)
{
    bool is_all = arguments->given.report.format->takes_stacks;

    return arguments->given.top != UINT64_MAX ? (size_t)arguments->given.top
           : is_all                           ? 0
                                              : DEFAULT_TOP;
}

static enum answer_counted counted_by(enum format_weight weight)
{
    return weight == FORMAT_WEIGHT_AWAKE ? ANSWER_AWAKE
           : weight == FORMAT_WEIGHT_CPU ? ANSWER_CPU
                                         : ANSWER_WALL;
}

static bool is_same_file(const char *a, const char *b)
{
    struct mb_file_info one;
    struct mb_file_info other;

    return mb_file_look(NULL, a, &one) && mb_file_look(NULL, b, &other) &&
           mb_file_id_is(one.id, other.id);
}

/* --open needs a page in a file. */
static int choose_page(struct arguments *arguments)
{
    if (!arguments->given.report.opens) {
        return CLI_DONE;
    }
    if (arguments->given.report.format != NULL && arguments->given.report.format != &format_html) {
        return cli_fail_usage("report", "--open is for --format html");
    }
    arguments->given.report.format = &format_html;
    if (arguments->given.report.output == NULL) {
        arguments->page = cli_page_path(arguments->given.source.path);
        arguments->given.report.output = arguments->page;
    }
    return arguments->given.report.output != NULL ? CLI_DONE : cli_fail_memory();
}

static int check_output(struct arguments *arguments)
{
    const struct format *format = arguments->given.report.format;

    arguments->is_folder = cli_is_folder(arguments->given.report.output);
    if (arguments->is_folder && !format->has_files) {
        return cli_fail_usage("report", "the output is a folder, and --format %s one file",
                              format->name);
    }
    return CLI_DONE;
}

/* The format and the place of the result must fit. */
static int choose_format(struct arguments *arguments)
{
    int code = choose_page(arguments);

    if (code == CLI_DONE && arguments->given.report.output != NULL &&
        is_same_file(arguments->given.report.output, arguments->given.source.path)) {
        return cli_fail_usage("report", "the output is the trace");
    }
    if (code == CLI_DONE && arguments->given.report.format == NULL) {
        code = cli_find_format(arguments->given.report.output, &arguments->given.report.format);
    }
    if (code != CLI_DONE) {
        return code;
    }
    if (arguments->given.report.output == NULL && arguments->given.report.format->is_binary &&
        isatty(STDOUT_FILENO) == 1) {
        return cli_fail_usage("report", "--format %s cannot go to a terminal: give --output",
                              arguments->given.report.format->name);
    }
    return arguments->given.report.output != NULL ? check_output(arguments) : CLI_DONE;
}

static int check_diff(const struct arguments *arguments)
{
    const struct format *format = arguments->given.report.format;
    bool tells_changes = format == &format_text || format == &format_json || format == &format_html;

    if (arguments->given.detail.old_path != NULL) {
        return tells_changes
                   ? CLI_DONE
                   : cli_fail_usage("report", "--diff is for --format text, json or html");
    }
    return cli_gate_is_set(&arguments->given.detail.fail_above)
               ? cli_fail_usage("report", "--fail-above needs --diff")
               : CLI_DONE;
}

/* A file has room for any name, but stacks repeat theirs. */
static size_t choose_columns(const struct arguments *arguments)
{
    if (arguments->given.detail.shows & FORMAT_NAMES) {
        return 0;
    }
    if (arguments->given.report.format == &format_folded) {
        return FRAME_COLUMNS;
    }
    return arguments->given.report.output != NULL ? 0 : cli_columns();
}

/* What is asked for is possible; the rest follows from it. */
static int check_report(struct arguments *arguments)
{
    if (arguments->given.thread != NULL && arguments->given.detail.mark != NULL) {
        return cli_fail_usage("report", "--mark selects a thread already: leave out --thread");
    }
    int code = choose_format(arguments);
    if (code != CLI_DONE) {
        return code;
    }
    if (arguments->given.detail.issues != NULL && !arguments->given.report.format->takes_issues) {
        return cli_fail_usage("report", "--issues does not apply to --format %s",
                              arguments->given.report.format->name);
    }
    code = check_diff(arguments);
    if (code != CLI_DONE) {
        return code;
    }
    arguments->given.source.finds_map = arguments->given.report.format->put_trace == NULL;
    arguments->look.details =
        arguments->given.detail.shows | (isatty(STDOUT_FILENO) == 1 ? 0u : FORMAT_NAMES);
    arguments->look.columns = choose_columns(arguments);
    arguments->look.weight = arguments->given.detail.weight;
    arguments->report.thread = arguments->given.thread;
    arguments->report.mark = arguments->given.detail.mark;
    arguments->report.wants_usual = arguments->given.detail.old_path != NULL;
    arguments->report.counted = counted_by(arguments->look.weight);
    if (arguments->given.detail.requests != NULL) {
        arguments->report.requests = mb_text_of(arguments->given.detail.requests);
    }
    arguments->report.threshold_ns = (int64_t)arguments->given.detail.threshold_ms * MB_NS_PER_MS;
    arguments->look.top = choose_top(arguments);
    arguments->look.colour = cli_wants_colour(arguments->given.report.output != NULL);
    return CLI_DONE;
}

static int parse_report(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {"report", cli_options, &arguments->given, .operand = NULL};
    int code = cli_take_options(&parser, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (argc - optind > 1) {
        return cli_fail_usage("report", "one trace file is needed; --diff OLD compares it");
    }
    if (optind == argc && !cli_cache_last(arguments->last)) {
        return cli_fail_usage("report", "a trace file is needed: run has left none");
    }
    arguments->given.source.path = optind < argc ? argv[optind] : arguments->last;
    return check_report(arguments);
}

/* A trace on its way into the report. */
struct reading {
    struct answer_trace trace;
    struct answer_model model;
};

static enum mb_status load_trace(struct reading *reading, const struct answer_source *source,
                                 struct mb_error *err)
{
    enum mb_status status = answer_trace_load(&reading->trace, source, err);

    if (status != MB_OK) {
        mb_error_in_input(err, source->path);
    }
    return status;
}

static enum mb_status build_model(struct reading *reading, const struct arguments *arguments,
                                  const char *path, struct format_writer *writer,
                                  struct mb_error *err)
{
    enum mb_status status =
        writer != NULL
            ? format_write(writer, &reading->model, &reading->trace, &arguments->report, err)
            : answer_model_build(&reading->model, &reading->trace, &arguments->report, NULL, err);

    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

/* Of one thread no report tells requests, nor without a profile. */
static void warn_of_requests(const struct arguments *arguments, bool is_missing)
{
    struct mb_error warning;

    if (is_missing && arguments->report.requests.size > 0 && arguments->report.thread == NULL) {
        (void)mb_fail_in(&warning, MB_BAD_USAGE, arguments->given.source.path,
                         "no method of this trace matches --requests: names are class.method, as "
                         "the report has them");
        cli_print_warning(&warning);
    }
}

static void finish_reading(struct reading *reading)
{
    answer_model_finish(&reading->model);
    answer_trace_finish(&reading->trace);
}

/* The old trace is read like the new one, which is loaded already: the same thread, the same
 * mark. */
static enum mb_status read_traces(struct arguments *arguments, struct reading *new,
                                  struct format_writer *writer, struct mb_error *err)
{
    struct reading old = {0};
    struct answer_source old_source = arguments->given.source;
    enum mb_status status = MB_OK;

    if (arguments->given.detail.old_path != NULL) {
        old_source.path = arguments->given.detail.old_path;
        old_source.map.file = NULL; /* found by its hash, or beside the trace */
        status = load_trace(&old, &old_source, err);
        if (status == MB_OK) {
            status = build_model(&old, arguments, old_source.path, NULL, err);
        }
        writer->look.old = &old.model.facts;
    }
    if (status == MB_OK) {
        status = build_model(new, arguments, arguments->given.source.path, writer, err);
        warn_of_requests(arguments,
                         new->model.facts.recording.has_profile &&new->model.facts.requests.count ==
                             0);
    }
    if (status == MB_OK && arguments->given.detail.old_path != NULL) {
        struct answer_diff diff = {0};
        answer_diff_make(&diff, &old.model.facts, &new->model.facts);
        cli_gate_take(&arguments->gate, &arguments->given.detail.fail_above, &diff);
        answer_diff_finish(&diff);
    }
    writer->look.old = NULL;
    finish_reading(&old);
    return status;
}

/* The map of the trace, where it was found, is most likely theirs. */
static enum mb_status read_issues(struct arguments *arguments, const struct answer_trace *trace,
                                  struct issues_shown *shown, struct mb_error *err)
{
    const char *map = trace->found_map.size > 0 ? (const char *)trace->found_map.bytes : NULL;
    const char *const paths[] = {arguments->given.detail.issues, map, NULL};
    const struct issues_map_source source = {
        .map = arguments->given.source.map,
        .mapping = arguments->given.source.mapping,
        .paths = paths,
    };
    size_t damage_count;

    if (arguments->given.detail.issues == NULL) {
        return MB_OK;
    }
    MB_TRY(issues_show(shown, arguments->given.detail.issues, &source, MOST_ISSUES, err));
    const struct mb_error *damage = issues_damage(&shown->all, &damage_count);
    cli_print_warnings(damage, damage_count);
    arguments->report.monitors = issues_shown_monitors(shown);
    arguments->report.issues = issues_shown_all(shown);
    return MB_OK;
}

static enum mb_status write_report(struct arguments *arguments, const struct format_sink *sink,
                                   struct mb_error *err)
{
    struct format_writer writer = {0};
    struct issues_shown shown = {0};
    struct reading reading = {0};
    enum mb_status status = load_trace(&reading, &arguments->given.source, err);

    if (status == MB_OK) {
        status = read_issues(arguments, &reading.trace, &shown, err);
    }
    if (status == MB_OK) {
        status = format_writer_init(&writer, arguments->given.report.format, &arguments->look, sink,
                                    err);
    }
    if (status == MB_OK) {
        status = read_traces(arguments, &reading, &writer, err);
    }
    finish_reading(&reading);
    format_writer_finish(&writer);
    issues_shown_finish(&shown);
    return status;
}

static enum mb_status write_all(struct arguments *arguments, struct mb_error *err)
{
    struct cli_output output;
    enum mb_status status =
        arguments->is_folder
            ? cli_output_open_folder(&output, arguments->given.report.output,
                                     arguments->given.report.format->extension, err)
            : cli_output_open(&output, arguments->given.report.output, err);

    if (status == MB_OK) {
        const struct format_sink sink = cli_output_sink(&output);
        status = write_report(arguments, &sink, err);
    }
    if (status == MB_OK) {
        status = cli_output_commit(&output, err);
    }
    cli_output_finish(&output);
    return status;
}

static int write_and_open(struct arguments *arguments)
{
    struct mb_error err;

    if (write_all(arguments, &err) != MB_OK) {
        /* main reports a failure of standard output. */
        return cli_output_error() != 0 ? CLI_FAILED : cli_fail(&err);
    }
    int code =
        arguments->given.report.opens ? cli_show_page(arguments->given.report.output) : CLI_DONE;
    return code == CLI_DONE && cli_gate_is_set(&arguments->given.detail.fail_above)
               ? cli_gate_judge(&arguments->gate, &arguments->given.detail.fail_above,
                                arguments->given.source.path)
               : code;
}

static const struct arguments defaults = {
    .given = {.detail = {.threshold_ms = DEFAULT_THRESHOLD_MS,
                         .fail_above = {UINT64_MAX, {UINT64_MAX, UINT64_MAX}}},
              .top = UINT64_MAX},
};

static int finish_report(struct arguments *arguments, int code)
{
    arguments->given.source.mapping = &arguments->given.mapping;
    if (code == CLI_DONE) {
        code = write_and_open(arguments);
    }
    cli_end_builds(&arguments->given.mapping);
    free(arguments->page);
    mb_buf_finish(&arguments->gate.suspects);
    return code;
}

int cli_report_trace(const struct cli_report_wish *wish, const char *trace)
{
    struct arguments arguments = defaults;

    arguments.given.report = *wish;
    arguments.given.source.path = trace;
    return finish_report(&arguments, check_report(&arguments));
}

static int run_report(int argc, char **argv)
{
    struct arguments arguments = defaults;

    return finish_report(&arguments, parse_report(&arguments, argc, argv));
}

static void put_formats(struct mb_buf *out)
{
    mb_buf_put_string(out, "Formats:\n");
    for (size_t i = 0; format_at(i) != NULL; i++) {
        mb_buf_printf(out, "  %-12s %s\n", format_at(i)->name, format_help_at(i));
    }
}

const struct cli_command cli_report = {
    .name = "report",
    .summary = "show which methods of a trace cost how much",
    .usage = "usage: methodbeat report [OPTION...] [TRACE]\n"
             "\n"
             "Show where the time of a recorded program went, how far to trust that, and which\n"
             "messages were slow.\n",
    .put_list = put_formats,
    .notes = "Without recorded messages and requests, the report lists slow outermost calls "
             "instead.\n",
    .run = run_report,
};
