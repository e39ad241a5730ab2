#include "cli/cli.h"
#include "cli/report_model.h"

#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#define DEFAULT_THRESHOLD_MS 700 /* upstream's evil method */
#define DEFAULT_TOP 20
#define MAX_THRESHOLD_MS 1000000000
#define NS_PER_MS 1000000

struct arguments {
    const char *trace;
    const char *method_map;
    const char *mapping;
    const struct export_format *format;
    struct cli_report_options report;
    bool force;
};

static const struct option long_options[] = {
    {"method-map", required_argument, NULL, 'm'},
    {"mapping", required_argument, NULL, 'p'},
    {"threshold", required_argument, NULL, 't'},
    {"format", required_argument, NULL, 'f'},
    {"thread", required_argument, NULL, 'T'},
    {"mark", required_argument, NULL, 'k'},
    {"top", required_argument, NULL, 'n'},
    {"force", no_argument, NULL, 'F'},
    {NULL, 0, NULL, 0},
};

static int take_number(const char *name, uint64_t limit, uint64_t *number)
{
    if (!mb_text_to_number(mb_text_of(optarg), limit, number)) {
        return cli_fail_usage("report", "--%s is a whole number, not '%s'", name, optarg);
    }
    return CLI_DONE;
}

static int take_option(struct arguments *arguments, int code, char **argv)
{
    uint64_t number = 0;
    int result = CLI_DONE;

    switch (code) {
    case 'm':
        arguments->method_map = optarg;
        return CLI_DONE;
    case 'p':
        arguments->mapping = optarg;
        return CLI_DONE;
    case 'T':
        arguments->report.thread = optarg;
        return CLI_DONE;
    case 'k':
        arguments->report.mark = optarg;
        return CLI_DONE;
    case 'F':
        arguments->force = true;
        return CLI_DONE;
    case 't':
        result = take_number("threshold", MAX_THRESHOLD_MS, &number);
        arguments->report.threshold_ns = (int64_t)number * NS_PER_MS;
        return result;
    case 'n':
        result = take_number("top", INT32_MAX, &number);
        arguments->report.top = (size_t)number;
        return result;
    case 'f':
        arguments->format = export_find(optarg);
        return arguments->format != NULL
                   ? CLI_DONE
                   : cli_fail_usage("report", "there is no format '%s'", optarg);
    case ':':
        return cli_fail_usage("report", "%s needs an argument", argv[optind - 1]);
    default:
        return cli_fail_usage("report", "there is no option %s", argv[optind - 1]);
    }
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
    int code;

    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
        int result = take_option(arguments, code, argv);
        if (result != CLI_DONE) {
            return result;
        }
    }
    if (argc - optind != 1) {
        return cli_fail_usage("report", "one trace file is needed");
    }
    if (arguments->method_map == NULL) {
        return cli_fail_usage("report", "--method-map says what the ids mean");
    }
    if (arguments->report.thread != NULL && arguments->report.mark != NULL) {
        return cli_fail_usage("report", "--mark says which thread: no --thread beside it");
    }
    arguments->trace = argv[optind];
    return CLI_DONE;
}

static enum mb_status report(const struct arguments *arguments, struct mb_buf *out,
                             struct mb_error *err)
{
    struct cli_trace trace = {0};
    struct cli_report_model model = {0};
    enum mb_status status = cli_trace_load(&trace, arguments->trace, err);

    if (status == MB_OK) {
        status = cli_trace_load_names(&trace, arguments->method_map, arguments->mapping,
                                      arguments->force, err);
    }
    if (status == MB_OK) {
        status = cli_report_build(&model, &trace, &arguments->report, arguments->format, out, err);
    }
    cli_report_model_finish(&model);
    cli_trace_finish(&trace);
    return status;
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {
        .format = &export_text,
        .report = {.threshold_ns = (int64_t)DEFAULT_THRESHOLD_MS * NS_PER_MS,
                   .top = DEFAULT_TOP,
                   .colour = isatty(STDOUT_FILENO) != 0},
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
