#include "answer/diff.h"
#include "answer/model.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/colour.h"
#include "cli/format.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/page.h"
#include "instrument/size.h"
#include "issues/names.h"
#include "issues/shown.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_THRESHOLD_MS 700 /* upstream's evil method */
#define DEFAULT_TOP 20
#define MOST_ISSUES 50
#define FRAME_COLUMNS 40
#define MAX_THRESHOLD_MS 1000000000
#define MOST_PERCENT 100000

struct arguments {
    struct answer_source source;
    const struct format *format; /* NULL: by the output's name, or text */
    const char *output;          /* NULL: standard output */
    struct answer_options report;
    struct format_look look;
    struct ins_size_paths size;
    const char *issues; /* a spool of the monitors, or NULL */
    const char *old_path;
    enum cli_colour colour;
    bool is_wide;
    bool with_threads;
    bool with_stacks;
    bool with_calls;
    bool tells_size;
    bool with_muted;
    bool opens;
    bool is_folder; /* the output */
    char *page;     /* where it goes to if no output is named; owned */
    uint64_t threshold_ms;
    uint64_t top;
    uint64_t fail_above; /* percent; UINT64_MAX: whatever changed */
    double slower;       /* than the old trace, certainly, in percent; below 0: unknown */
};

#define PLACE(field) offsetof(struct arguments, field)

static const struct cli_choice weights[] = {{"ns", FORMAT_WEIGHT_NS},
                                            {"awake", FORMAT_WEIGHT_AWAKE},
                                            {"cpu", FORMAT_WEIGHT_CPU},
                                            {"calls", FORMAT_WEIGHT_CALLS},
                                            {NULL, 0}};

static enum answer_counted counted_by(enum format_weight weight)
{
    return weight == FORMAT_WEIGHT_AWAKE ? ANSWER_AWAKE
           : weight == FORMAT_WEIGHT_CPU ? ANSWER_CPU
                                         : ANSWER_WALL;
}

static const struct cli_option rows[] = {
    {.name = "method-map", .take = cli_take_map, .offset = PLACE(source.map)},
    {.name = "mapping", .take = cli_take_text, .offset = PLACE(source.mapping)},
    {.name = "threshold",
     .take = cli_take_number,
     .offset = PLACE(threshold_ms),
     .most = MAX_THRESHOLD_MS},
    {.name = "format", .take = cli_take_format, .offset = PLACE(format)},
    {.name = "output", .letter = 'o', .take = cli_take_text, .offset = PLACE(output)},
    {.name = "issues", .take = cli_take_text, .offset = PLACE(issues)},
    {.name = "open", .take = cli_take_flag, .offset = PLACE(opens)},
    {.name = "weight", .take = cli_take_choice, .offset = PLACE(look.weight), .choices = weights},
    {.name = "thread", .take = cli_take_text, .offset = PLACE(report.thread)},
    {.name = "mark", .take = cli_take_text, .offset = PLACE(report.mark)},
    {.name = "top", .take = cli_take_number, .offset = PLACE(top), .most = INT32_MAX},
    {.name = "threads", .take = cli_take_flag, .offset = PLACE(with_threads)},
    {.name = "stacks", .take = cli_take_flag, .offset = PLACE(with_stacks)},
    {.name = "calls", .take = cli_take_flag, .offset = PLACE(with_calls)},
    {.name = "muted", .take = cli_take_flag, .offset = PLACE(with_muted)},
    {.name = "size", .take = cli_take_flag, .offset = PLACE(tells_size)},
    {.name = "diff", .take = cli_take_text, .offset = PLACE(old_path)},
    {.name = "fail-above",
     .take = cli_take_percent,
     .offset = PLACE(fail_above),
     .most = MOST_PERCENT},
    {.name = "wide", .take = cli_take_flag, .offset = PLACE(is_wide)},
    {.name = "color", .take = cli_take_choice, .offset = PLACE(colour), .choices = cli_colours},
    {.name = "force", .take = cli_take_flag, .offset = PLACE(source.force)},
};

static bool is_same_file(const char *a, const char *b)
{
    struct stat one;
    struct stat other;

    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* --open needs a page in a file. */
static int choose_page(struct arguments *arguments)
{
    if (!arguments->opens) {
        return CLI_DONE;
    }
    if (arguments->format != NULL && arguments->format != &format_html) {
        return cli_fail_usage("report", "--open is for --format html");
    }
    arguments->format = &format_html;
    if (arguments->output == NULL) {
        arguments->page = cli_page_path(arguments->source.path);
        arguments->output = arguments->page;
    }
    return arguments->output != NULL ? CLI_DONE : cli_fail_memory();
}

static int check_output(struct arguments *arguments)
{
    const struct format *format = arguments->format;

    arguments->is_folder = cli_is_folder(arguments->output);
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

    if (code == CLI_DONE && arguments->output != NULL &&
        is_same_file(arguments->output, arguments->source.path)) {
        return cli_fail_usage("report", "the output is the trace");
    }
    if (code == CLI_DONE && arguments->format == NULL) {
        code = cli_find_format(arguments->output, &arguments->format);
    }
    if (code != CLI_DONE) {
        return code;
    }
    if (arguments->output == NULL && arguments->format->is_binary && isatty(STDOUT_FILENO) == 1) {
        return cli_fail_usage("report", "--format %s cannot go to a terminal: give --output",
                              arguments->format->name);
    }
    return arguments->output != NULL ? check_output(arguments) : CLI_DONE;
}

/* The arguments are an input and an output of instrument instead of a trace. */
static int parse_size(struct arguments *arguments, int argc, char **argv)
{
    if (argc - optind != 2) {
        return cli_fail_usage("report", "--size needs an original and its instrumented copy");
    }
    arguments->size = (struct ins_size_paths){argv[optind], argv[optind + 1]};
    arguments->look.top = (size_t)arguments->top;
    return CLI_DONE;
}

static int check_diff(const struct arguments *arguments)
{
    const struct format *format = arguments->format;
    bool tells_changes = format == &format_text || format == &format_json || format == &format_html;

    if (arguments->old_path != NULL) {
        return tells_changes
                   ? CLI_DONE
                   : cli_fail_usage("report", "--diff is for --format text, json or html");
    }
    return arguments->fail_above != UINT64_MAX
               ? cli_fail_usage("report", "--fail-above needs --diff")
               : CLI_DONE;
}

/* A file has room for any name, but stacks repeat theirs. */
static size_t choose_columns(const struct arguments *arguments)
{
    if (arguments->is_wide) {
        return 0;
    }
    if (arguments->format == &format_folded) {
        return FRAME_COLUMNS;
    }
    return arguments->output != NULL ? 0 : cli_columns();
}

/* What is asked for is possible; the rest follows from it. */
static int check_report(struct arguments *arguments)
{
    if (arguments->report.thread != NULL && arguments->report.mark != NULL) {
        return cli_fail_usage("report", "--mark selects a thread already: leave out --thread");
    }
    int code = choose_format(arguments);
    if (code != CLI_DONE) {
        return code;
    }
    if (arguments->issues != NULL && !arguments->format->takes_issues) {
        return cli_fail_usage("report", "--issues does not apply to --format %s",
                              arguments->format->name);
    }
    code = check_diff(arguments);
    if (code != CLI_DONE) {
        return code;
    }
    arguments->source.finds_map = true;
    arguments->look.details = (arguments->with_threads ? FORMAT_THREADS : 0u) |
                              (arguments->with_stacks ? FORMAT_STACKS : 0u) |
                              (arguments->with_calls ? FORMAT_CALLS : 0u) |
                              (arguments->with_muted ? FORMAT_MUTED : 0u);
    arguments->look.columns = choose_columns(arguments);
    arguments->report.counted = counted_by(arguments->look.weight);
    arguments->report.threshold_ns = (int64_t)arguments->threshold_ms * MB_NS_PER_MS;
    arguments->look.top = (size_t)arguments->top;
    arguments->look.colour = arguments->output != NULL ? arguments->colour == CLI_COLOUR_ALWAYS
                                                       : cli_wants_colour(arguments->colour);
    return CLI_DONE;
}

static int parse_report(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {"report", rows, MB_COUNT(rows), arguments, .operand = NULL};
    int code = cli_take_options(&parser, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (arguments->tells_size) {
        return parse_size(arguments, argc, argv);
    }
    if (argc - optind != 1) {
        return cli_fail_usage("report", "one trace file is needed");
    }
    arguments->source.path = argv[optind];
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
    struct answer_source old_source = arguments->source;
    enum mb_status status = MB_OK;

    if (arguments->old_path != NULL) {
        old_source.path = arguments->old_path;
        old_source.map.file = NULL; /* found by its hash, or beside the trace */
        status = load_trace(&old, &old_source, err);
        if (status == MB_OK) {
            status = build_model(&old, arguments, old_source.path, NULL, err);
        }
        writer->look.old = &old.model.facts;
    }
    if (status == MB_OK) {
        status = build_model(new, arguments, arguments->source.path, writer, err);
    }
    if (status == MB_OK && arguments->old_path != NULL) {
        struct answer_diff diff = {0};
        answer_diff_runs(&diff, &old.model.facts, &new->model.facts);
        arguments->slower = answer_diff_slower(&diff);
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
    const char *const paths[] = {arguments->issues, map, NULL};
    const struct issues_map_source source = {
        .map = arguments->source.map,
        .mapping = arguments->source.mapping,
        .paths = paths,
    };
    size_t damage_count;

    if (arguments->issues == NULL) {
        return MB_OK;
    }
    MB_TRY(issues_show(shown, arguments->issues, &source, MOST_ISSUES, err));
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
    enum mb_status status = load_trace(&reading, &arguments->source, err);

    if (status == MB_OK) {
        status = read_issues(arguments, &reading.trace, &shown, err);
    }
    if (status == MB_OK) {
        status = format_writer_init(&writer, arguments->format, &arguments->look, sink, err);
    }
    if (status == MB_OK) {
        status = read_traces(arguments, &reading, &writer, err);
    }
    finish_reading(&reading);
    format_writer_finish(&writer);
    issues_shown_finish(&shown);
    return status;
}

static enum mb_status write_size(const struct arguments *arguments, const struct format_sink *sink,
                                 struct mb_error *err)
{
    struct mb_buf out = {0};
    enum mb_status status = ins_size(&arguments->size, arguments->look.top, &out, err);

    if (status == MB_OK) {
        status = sink->take(sink->context, out.bytes, out.size, err);
    }
    mb_buf_finish(&out);
    return status;
}

static enum mb_status write_all(struct arguments *arguments, struct mb_error *err)
{
    struct cli_output output;
    enum mb_status status =
        arguments->is_folder
            ? cli_output_open_folder(&output, arguments->output, arguments->format->extension, err)
            : cli_output_open(&output, arguments->output, err);

    if (status == MB_OK) {
        const struct format_sink sink = cli_output_sink(&output);
        status = arguments->tells_size ? write_size(arguments, &sink, err)
                                       : write_report(arguments, &sink, err);
    }
    if (status == MB_OK) {
        status = cli_output_commit(&output, err);
    }
    cli_output_finish(&output);
    return status;
}

/* The report is written: the exit code tells scripts the verdict. */
static int judge_change(const struct arguments *arguments)
{
    struct mb_error err;

    if (arguments->slower < 0) {
        (void)mb_fail(&err, MB_BAD_TRACE, MB_NO_OFFSET,
                      "--fail-above: a ring of one of the traces holds the end of its run only");
        mb_error_in_input(&err, arguments->source.path);
        return cli_fail(&err);
    }
    if (arguments->slower <= (double)arguments->fail_above) {
        return CLI_DONE;
    }
    (void)mb_fail(&err, MB_BAD_TRACE, MB_NO_OFFSET,
                  "slower by %.1f %% for certain, more than the %d %% of --fail-above",
                  arguments->slower, (int)arguments->fail_above);
    mb_error_in_input(&err, arguments->source.path);
    cli_print_error(&err);
    return CLI_SLOWER;
}

static int write_and_open(struct arguments *arguments)
{
    struct mb_error err;

    if (write_all(arguments, &err) != MB_OK) {
        /* main reports a failure of standard output. */
        return cli_output_error() != 0 ? CLI_FAILED : cli_fail(&err);
    }
    int code = arguments->opens ? cli_show_page(arguments->output) : CLI_DONE;
    return code == CLI_DONE && arguments->fail_above != UINT64_MAX ? judge_change(arguments) : code;
}

static const struct arguments defaults = {
    .threshold_ms = DEFAULT_THRESHOLD_MS,
    .top = DEFAULT_TOP,
    .fail_above = UINT64_MAX,
};

static int finish_report(struct arguments *arguments, int code)
{
    if (code == CLI_DONE) {
        code = write_and_open(arguments);
    }
    free(arguments->page);
    return code;
}

int cli_report_trace(const struct cli_report_wish *wish, const char *trace)
{
    struct arguments arguments = defaults;

    arguments.format = wish->format;
    arguments.output = wish->output;
    arguments.opens = wish->opens;
    arguments.source.path = trace;
    return finish_report(&arguments, check_report(&arguments));
}

static int run_report(int argc, char **argv)
{
    struct arguments arguments = defaults;

    return finish_report(&arguments, parse_report(&arguments, argc, argv));
}

const struct cli_command cli_report = {
    .name = "report",
    .summary = "show which methods of a trace cost how much",
    .usage =
        "usage: methodbeat report [OPTION...] TRACE\n"
        "       methodbeat report --size [--top N] ORIGINAL INSTRUMENTED\n"
        "\n"
        "Show where the time of a recorded program went, how far to trust that, and which\n"
        "messages were slow.\n"
        "\n"
        "      --method-map PATH  methodMapping.txt of the instrumented program, or folders to\n"
        "                         search, separated by colons; default: the map with the hash\n"
        "                         that the trace names, where the trace says or beside it\n"
        "      --mapping FILE     restore original names: mapping.txt of ProGuard or R8\n"
        "      --threshold MS     length of slow calls and messages, default 700\n"
        "      --format FORMAT    text (default), json, matrix (stacks as Matrix logs\n"
        "                         them), html (a page for a browser); for viewers folded,\n"
        "                         chrome, speedscope, firefox, callgrind, nanoscope, art,\n"
        "                         perfetto, pprof\n"
        "  -o, --output FILE      write to FILE, which appears when it is complete; its\n"
        "                         extension selects the format (.txt or none: text); for\n"
        "                         nanoscope FILE may be a folder, for a file per thread\n"
        "      --issues SPOOL     add issues of the monitors: html, perfetto, chrome, firefox\n"
        "      --open             write the page TRACE.html and show it on the desktop\n"
        "      --weight WEIGHT    what counts: ns (default, all time), awake (without waiting),\n"
        "                         cpu (CPU time), or, of folded stacks, calls\n"
        "      --thread NAME      only this thread, by name or id\n"
        "      --mark NAME        only records after this mark, by name or number\n"
        "      --top N            number of table rows and stacks, default 20\n"
        "      --threads          show the methods of each thread\n"
        "      --stacks           show the stacks of all slow messages, not of one\n"
        "      --calls            show the methods with the most calls\n"
        "      --muted            show the methods that were muted while the program ran\n"
        "      --size             show bytes of probes by package, from an input of instrument\n"
        "                         and its output instead of a trace\n"
        "      --diff OLD         show what changed since another trace: the run as a whole,\n"
        "                         then methods by name; text, json, html\n"
        "      --fail-above N%    exit with 3 if the run is certainly slower by more than N%\n"
        "      --wide             print names and paths in full, whatever the terminal\n"
        "      --color WHEN       auto (default: on a terminal, unless NO_COLOR is set),\n"
        "                         always or never\n"
        "      --force            use the map although the trace names another one\n"
        "\n"
        "Without recorded messages, the report lists slow outermost calls instead.\n",
    .run = run_report,
};
