/* methodbeat records */

#include "formats/records.h"
#include "answer/input.h"
#include "cli/cli.h"
#include "cli/options.h"

#include <getopt.h>

struct arguments {
    struct answer_source source;
    const char *thread;
    int json; /* as a choice gives it */
};

static const struct cli_choice formats[] = {{"text", false}, {"json", true}, {NULL, 0}};

#define PLACE(field) offsetof(struct arguments, field)

static const struct cli_option rows[] = {
    {.name = "method-map", .take = cli_take_text, .offset = PLACE(source.map.file)},
    {.name = "mapping", .take = cli_take_text, .offset = PLACE(source.mapping)},
    {.name = "thread", .take = cli_take_text, .offset = PLACE(thread)},
    {.name = "format", .take = cli_take_choice, .offset = PLACE(json), .choices = formats},
};

static int parse_records(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {"records", rows, MB_COUNT(rows), arguments,
                                      .operand = "trace file"};
    int code = cli_take_options(&parser, argc, argv);

    arguments->source.path = argv[optind];
    return code == CLI_DONE && arguments->source.mapping != NULL &&
                   arguments->source.map.file == NULL
               ? cli_fail_usage("records", "--mapping needs --method-map")
               : code;
}

static enum mb_status list_records(const struct arguments *arguments, struct mb_error *err)
{
    const struct format_records wish = {
        .thread = arguments->thread,
        .has_names = arguments->source.map.file != NULL,
        .is_json = arguments->json,
        .write = cli_put_output,
    };
    struct answer_trace trace = {0};
    enum mb_status status = answer_trace_load(&trace, &arguments->source, err);

    if (status == MB_OK) {
        status = format_put_records(&trace, &wish, err);
    }
    if (status != MB_OK) {
        mb_error_in_input(err, arguments->source.path);
    }
    answer_trace_finish(&trace);
    return status;
}

static int run_records(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct mb_error err;
    int code = parse_records(&arguments, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    return list_records(&arguments, &err) == MB_OK ? CLI_DONE : cli_fail(&err);
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
