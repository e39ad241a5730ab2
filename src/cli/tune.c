/* methodbeat tune */

#include "answer/tune.h"

#include "cli/cli.h"
#include "cli/values.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_PERCENT 5

static int parse_tune(struct cli_values *given, int argc, char **argv)
{
    const struct cli_parser parser = {"tune", cli_options, given, .operand = "trace file"};
    int code = cli_take_options(&parser, argc, argv);

    given->source.path = argv[optind];
    given->source.finds_map = true;
    return code;
}

static enum mb_status tune_trace(const struct cli_values *given, struct answer_trace *trace,
                                 struct mb_buf *out, struct mb_error *err)
{
    const struct answer_options options = {.threshold_ns = INT64_MAX};
    struct answer_model model = {0};

    MB_TRY(answer_trace_load(trace, &given->source, err));
    enum mb_status status = answer_model_build(&model, trace, &options, NULL, err);
    if (status == MB_OK) {
        status = answer_tune(&model.facts, &trace->names.map, given->percent, out, err);
    }
    answer_model_finish(&model);
    return status;
}

static int run_tune(int argc, char **argv)
{
    struct cli_values given = {.percent = DEFAULT_PERCENT};
    struct answer_trace trace = {0};
    struct mb_buf out = {0};
    struct mb_error err;
    int code = parse_tune(&given, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (tune_trace(&given, &trace, &out, &err) == MB_OK) {
        cli_put_output(out.bytes, out.size);
    } else {
        mb_error_in_input(&err, given.source.path);
        code = cli_fail(&err);
    }
    answer_trace_finish(&trace);
    mb_buf_finish(&out);
    return code;
}

const struct cli_command cli_tune = {
    .name = "tune",
    .summary = "write a blacklist of the most expensive probes",
    .usage =
        "usage: methodbeat tune [OPTION...] TRACE > hot.txt\n"
        "\n"
        "Write a blacklist of the fewest methods that must lose their probes so that the others\n"
        "cost little. Then instrument again, with --blacklist hot.txt.\n",
    .run = run_tune,
};
