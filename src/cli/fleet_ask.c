/* methodbeat fleet ask, methodbeat fleet page and methodbeat fleet sql */

#include "base/platform_system.h"
#include "cli/cli.h"
#include "cli/fleet.h"
#include "cli/options.h"
#include "cli/output.h"
#include "fleet/lake.h"
#include "fleet/page.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TOP 20

static const struct cli_choice formats[] = {
    {"text", FLEET_AS_TEXT}, {"json", FLEET_AS_JSON}, {NULL, 0}};
static const struct cli_choice dialects[] = {
    {"duckdb", FLEET_DUCKDB}, {"spark", FLEET_SPARK},       {"clickhouse", FLEET_CLICKHOUSE},
    {"trino", FLEET_TRINO},   {"bigquery", FLEET_BIGQUERY}, {NULL, 0}};

struct arguments {
    struct fleet_blanks blanks;
    const struct fleet_question *question;
    struct fleet_engine engine; /* its folder is the lake */
    struct fleet_answer answer;
    enum fleet_dialect dialect;
    const char *output; /* of page */
    bool fails;
};

#define PLACE(field) .offset = offsetof(struct arguments, field)
#define BLANKS                                                                                 \
    {.name = "old", .take = cli_take_text, PLACE(blanks.old_release)},                         \
        {.name = "new", .take = cli_take_text, PLACE(blanks.new_release)},                     \
        {.name = "where", .take = cli_take_text, PLACE(blanks.where)},                         \
    {                                                                                          \
        .name = "top", .take = cli_take_number, .least = 1, .most = 1000000, PLACE(blanks.top) \
    }

static const struct cli_option ask_options[] = {
    BLANKS,
    {.name = "format", .take = cli_take_choice, .choices = formats, PLACE(answer.format)},
    {.name = "fail", .take = cli_take_flag, PLACE(fails)},
    {.name = "engine-command", .take = cli_take_text, PLACE(engine.command)},
    {.name = NULL},
};
static const struct cli_option sql_options[] = {
    BLANKS,
    {.name = "engine", .take = cli_take_choice, .choices = dialects, PLACE(dialect)},
    {.name = NULL},
};

static const struct cli_option page_options[] = {
    BLANKS,
    {.name = "output", .letter = 'o', .take = cli_take_text, PLACE(output)},
    {.name = "engine-command", .take = cli_take_text, PLACE(engine.command)},
    {.name = NULL},
};

static int take_question(struct arguments *arguments, const char *command, char **operands)
{
    arguments->question = operands[0] != NULL ? fleet_find_question(operands[0]) : NULL;
    if (arguments->question == NULL) {
        return cli_fail_usage(command, "a question is needed: methodbeat help fleet lists them");
    }
    arguments->engine.folder = operands[1];
    if (operands[1] != NULL && operands[2] != NULL) {
        return cli_fail_usage(command, "one lake at most");
    }
    return CLI_DONE;
}

static int check_releases(const struct arguments *arguments, const char *command)
{
    return (arguments->blanks.old_release == NULL) != (arguments->blanks.new_release == NULL)
               ? cli_fail_usage(command, "--old and --new go together")
               : CLI_DONE;
}

static int parse_words(struct arguments *arguments, const struct cli_parser *parser, int argc,
                       char **argv)
{
    int code = cli_take_options(parser, argc, argv);

    if (code == CLI_DONE) {
        code = take_question(arguments, parser->command, argv + optind);
    }
    return code == CLI_DONE ? check_releases(arguments, parser->command) : code;
}

/* Weeks end with the last day that the lake has, or today. What comes in later is not seen. */
static void find_day(struct arguments *arguments, char *day, size_t size)
{
    struct fleet_engine *lake = &arguments->engine;
    struct tm date;

    arguments->blanks.day = day;
    if ((lake->folder == NULL || !fleet_lake_look(lake->folder, &lake->loads, day)) &&
        mb_time_to_utc(time(NULL), &date)) {
        (void)strftime(day, size, "%Y-%m-%d", &date);
    }
}

/* The two newest, if none are named; kept has what is to be freed. */
static enum mb_status find_releases(struct arguments *arguments, char *kept[2],
                                    struct mb_error *err)
{
    if (arguments->blanks.old_release != NULL) {
        return MB_OK;
    }
    enum mb_status status = fleet_find_releases(&arguments->engine, &kept[0], &kept[1], err);
    arguments->blanks.old_release = kept[0];
    arguments->blanks.new_release = kept[1];
    return status;
}

static int ask_engine(struct arguments *arguments)
{
    struct mb_error err = {.status = MB_OK};
    char *releases[2] = {NULL, NULL};
    enum mb_status status =
        arguments->question->compares ? find_releases(arguments, releases, &err) : MB_OK;

    if (status == MB_OK) {
        status = fleet_ask(&arguments->engine, arguments->question, &arguments->blanks,
                           &arguments->answer, &err);
    }
    free(releases[0]);
    free(releases[1]);
    mb_buf_finish(&arguments->engine.loads);
    if (status == MB_OK) {
        cli_put_output(arguments->answer.text.bytes, arguments->answer.text.size);
    }
    mb_buf_finish(&arguments->answer.text);
    if (status != MB_OK) {
        return cli_fail(&err);
    }
    return arguments->fails && arguments->question->judges && arguments->answer.rows > 0
               ? CLI_SLOWER
               : CLI_DONE;
}

int cli_fleet_ask(int argc, char **argv)
{
    struct arguments arguments = {.blanks.top = TOP};
    const struct cli_parser reader = {
        .command = "fleet ask", .options = ask_options, .values = &arguments};
    char day[16] = "";
    int code = parse_words(&arguments, &reader, argc, argv);

    if (code != CLI_DONE || arguments.question == NULL) {
        return code;
    }
    if (arguments.engine.folder == NULL) {
        return cli_fail_usage("fleet ask", "a lake is needed");
    }
    find_day(&arguments, day, sizeof(day));
    return ask_engine(&arguments);
}

static enum mb_status write_page(const struct arguments *arguments, const struct mb_buf *page,
                                 struct mb_error *err)
{
    struct cli_output output;
    enum mb_status status = cli_output_open(&output, arguments->output, err);
    const struct format_sink sink = cli_output_sink(&output);

    if (status == MB_OK) {
        status = sink.take(sink.context, page->bytes, page->size, err);
    }
    if (status == MB_OK) {
        status = cli_output_commit(&output, err);
    }
    cli_output_finish(&output);
    return status;
}

static int make_page(struct arguments *arguments)
{
    struct mb_error err = {.status = MB_OK};
    char *releases[2] = {NULL, NULL};
    struct mb_buf page = {0};
    enum mb_status status = find_releases(arguments, releases, &err);

    if (status == MB_OK) {
        status = fleet_put_page(&page, &arguments->engine, &arguments->blanks, &err);
    }
    if (status == MB_OK) {
        status = write_page(arguments, &page, &err);
    }
    free(releases[0]);
    free(releases[1]);
    mb_buf_finish(&arguments->engine.loads);
    mb_buf_finish(&page);
    return status == MB_OK ? CLI_DONE : cli_fail(&err);
}

int cli_fleet_page(int argc, char **argv)
{
    struct arguments arguments = {.blanks.top = TOP};
    const struct cli_parser reader = {.command = "fleet page",
                                      .options = page_options,
                                      .values = &arguments,
                                      .operand = "the lake"};
    char day[16] = "";
    int code = cli_take_options(&reader, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    arguments.engine.folder = argv[optind];
    if (arguments.engine.folder == NULL || arguments.output == NULL) {
        return cli_fail_usage("fleet page", "a lake and -o FILE are needed");
    }
    code = check_releases(&arguments, "fleet page");
    if (code == CLI_DONE) {
        find_day(&arguments, day, sizeof(day));
        code = make_page(&arguments);
    }
    return code;
}

int cli_fleet_sql(int argc, char **argv)
{
    struct arguments arguments = {.blanks.top = TOP};
    const struct cli_parser reader = {
        .command = "fleet sql", .options = sql_options, .values = &arguments};
    struct mb_buf sql = {0};
    struct mb_error err = {.status = MB_OK};
    char day[16] = "";
    int code = parse_words(&arguments, &reader, argc, argv);

    if (code != CLI_DONE || arguments.question == NULL) {
        return code;
    }
    if (arguments.question->compares && arguments.blanks.old_release == NULL) {
        return cli_fail_usage("fleet sql", "--old and --new are needed");
    }
    find_day(&arguments, day, sizeof(day));
    if (arguments.engine.folder != NULL) {
        fleet_put_views(&sql, arguments.dialect, arguments.engine.folder);
    }
    fleet_put_question(&sql, arguments.dialect, arguments.question, &arguments.blanks);
    mb_buf_put_string(&sql, ";\n");
    enum mb_status status = mb_buf_check(&sql, &err);
    if (status == MB_OK) {
        cli_put_output(sql.bytes, sql.size);
    }
    mb_buf_finish(&sql);
    mb_buf_finish(&arguments.engine.loads);
    return status == MB_OK ? CLI_DONE : cli_fail(&err);
}
