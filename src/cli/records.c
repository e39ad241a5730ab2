/* methodbeat records */

#include "formats/records.h"
#include "answer/input.h"
#include "cli/cli.h"
#include "cli/values.h"

#include <getopt.h>

static int parse_records(struct cli_values *given, int argc, char **argv)
{
    const struct cli_parser parser = {"records", cli_options, given, .operand = "trace file"};
    int code = cli_take_options(&parser, argc, argv);

    given->source.path = argv[optind];
    return code == CLI_DONE && given->source.mapping != NULL && given->source.map.file == NULL
               ? cli_fail_usage("records", "--mapping needs --method-map")
               : code;
}

static enum mb_status list_records(const struct cli_values *given, struct mb_error *err)
{
    const struct format_records wish = {
        .thread = given->thread,
        .has_names = given->source.map.file != NULL,
        .is_json = given->is_json,
        .write = cli_put_output,
    };
    struct answer_trace trace = {0};
    enum mb_status status = answer_trace_load(&trace, &given->source, err);

    if (status == MB_OK) {
        status = format_put_records(&trace, &wish, err);
    }
    if (status != MB_OK) {
        mb_error_in_input(err, given->source.path);
    }
    answer_trace_finish(&trace);
    return status;
}

static int run_records(int argc, char **argv)
{
    struct cli_values given = {0};
    struct mb_error err;
    int code = parse_records(&given, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    return list_records(&given, &err) == MB_OK ? CLI_DONE : cli_fail(&err);
}

const struct cli_command cli_records = {
    .name = "records",
    .summary = "list the records of a trace",
    .usage =
        "usage: methodbeat records [OPTION...] TRACE\n"
        "\n"
        "List marks, threads and records of a trace: number, time, i (entry) or o (exit), id.\n"
        "\n"
        "      --method-map FILE  methodMapping.txt of the program: print names behind ids\n"
        "      --mapping FILE     restore original names: mapping.txt of ProGuard or R8\n"
        "      --thread NAME      only this thread, by name or id\n"
        "      --format FORMAT    text (default), or json: one object per line\n",
    .run = run_records,
};
