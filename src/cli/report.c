#include "cli/cli.h"
#include "cli/options.h"
#include "cli/report_model.h"

#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#define DEFAULT_THRESHOLD_MS 700 /* upstream's evil method */
#define DEFAULT_TOP 20
#define MAX_THRESHOLD_MS 1000000000
#define NS_PER_MS 1000000

struct arguments {
    struct cli_trace_source source;
    const struct export_format *format;
    struct cli_report_options report;
    uint64_t threshold_ms;
    uint64_t top;
};

static int take_format(const struct cli_parser *parser, const struct cli_option *option,
                       void *place, const char *argument)
{
    const struct export_format *format = export_find(argument);

    *(const struct export_format **)place = format;
    return format != NULL ? CLI_DONE : cli_refuse(parser, option, argument);
}

#define PLACE(field) offsetof(struct arguments, field)

static const struct cli_option rows[] = {
    {.name = "method-map", .take = cli_take_text, .offset = PLACE(source.method_map)},
    {.name = "mapping", .take = cli_take_text, .offset = PLACE(source.mapping)},
    {.name = "threshold",
     .take = cli_take_number,
     .offset = PLACE(threshold_ms),
     .most = MAX_THRESHOLD_MS},
    {.name = "format", .take = take_format, .offset = PLACE(format)},
    {.name = "thread", .take = cli_take_text, .offset = PLACE(report.thread)},
    {.name = "mark", .take = cli_take_text, .offset = PLACE(report.mark)},
    {.name = "top", .take = cli_take_number, .offset = PLACE(top), .most = INT32_MAX},
    {.name = "force", .take = cli_take_flag, .offset = PLACE(source.force)},
};

static int parse(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {.command = "report", .values = arguments};
    int code = cli_take_options(&parser, rows, MB_COUNT(rows), argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (argc - optind != 1) {
        return cli_fail_usage("report", "one trace file is needed");
    }
    if (arguments->source.method_map == NULL) {
        return cli_fail_usage("report", "--method-map says what the ids mean");
    }
    if (arguments->report.thread != NULL && arguments->report.mark != NULL) {
        return cli_fail_usage("report", "--mark says which thread: no --thread beside it");
    }
    arguments->source.path = argv[optind];
    arguments->report.threshold_ns = (int64_t)arguments->threshold_ms * NS_PER_MS;
    arguments->report.top = (size_t)arguments->top;
    return CLI_DONE;
}

static enum mb_status report(const struct arguments *arguments, struct mb_buf *out,
                             struct mb_error *err)
{
    struct cli_trace trace = {0};
    struct cli_report_model model = {0};
    enum mb_status status = cli_trace_load(&trace, &arguments->source, err);

    if (status == MB_OK) {
        status = cli_report_build(&model, &trace, &arguments->report, arguments->format, out, err);
    }
    if (status != MB_OK) {
        mb_error_in_input(err, arguments->source.path);
    }
    cli_report_model_finish(&model);
    cli_trace_finish(&trace);
    return status;
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {
        .format = &export_text,
        .threshold_ms = DEFAULT_THRESHOLD_MS,
        .top = DEFAULT_TOP,
        .report = {.colour = isatty(STDOUT_FILENO) != 0},
    };
    struct mb_buf out = {0};
    struct mb_error err;
    int code = parse(&arguments, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (report(&arguments, &out, &err) == MB_OK) {
        if (out.size > 0) {                               /* a format may have nothing to say */
            (void)fwrite(out.bytes, 1, out.size, stdout); /* main checks standard output */
        }
    } else {
        code = cli_fail(&err);
    }
    mb_buf_finish(&out);
    return code;
}

const struct cli_command cli_report = {
    .name = "report",
    .summary = "tell from a trace which methods cost what",
    .usage = "usage: methodbeat report --method-map FILE [OPTION...] TRACE\n"
             "\n"
             "Tell which messages of a recorded program were slow, and why.\n"
             "\n"
             "      --method-map FILE  methodMapping.txt of the instrumented program\n"
             "      --mapping FILE     give original names: mapping.txt of ProGuard or R8\n"
             "      --threshold MS     what is slow, default 700\n"
             "      --thread NAME      only this thread; also its id\n"
             "      --mark NAME        only from this mark of the program on; also its number\n"
             "      --top N            rows of a table and stacks, default 20\n"
             "      --format FORMAT    text (default), json, matrix (stacks as Matrix logs\n"
             "                         them), folded (flame graphs), chrome (Perfetto)\n"
             "      --force            use the map although the trace names another\n"
             "\n"
             "Without recorded messages, outermost calls stand in for them.\n",
    .run = run,
};
