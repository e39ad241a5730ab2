/* methodbeat fleet ask, methodbeat fleet page and methodbeat fleet sql */

#include "base/platform_system.h"
#include "cli/cli.h"
#include "cli/nearest.h"
#include "cli/output.h"
#include "cli/values.h"
#include "fleet/ask.h"
#include "fleet/lake.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct cli_values defaults = {.fleet.blanks = {.days = 28, .top = 20}};

static int fail_question(const char *command, const char *name)
{
    struct cli_nearest nearest = {.word = name};

    for (size_t i = 0; i < fleet_question_count && name != NULL; i++) {
        cli_nearest_offer(&nearest, fleet_questions[i].name);
    }
    return nearest.best != NULL
               ? cli_fail_usage(command, "there is no question '%s': did you mean %s?", name,
                                nearest.best)
           : name != NULL ? cli_fail_usage(command, "there is no question '%s'", name)
                          : cli_fail_usage(command, "a question is needed");
}

static int take_question(struct cli_fleet_values *fleet, const char *command, char **operands)
{
    fleet->question = operands[0] != NULL ? fleet_find_question(operands[0]) : NULL;
    if (fleet->question == NULL) {
        return fail_question(command, operands[0]);
    }
    fleet->engine.folder = operands[1];
    if (operands[1] != NULL && operands[2] != NULL) {
        return cli_fail_usage(command, "one lake at most");
    }
    return CLI_DONE;
}

static int check_releases(const struct cli_fleet_values *fleet, const char *command)
{
    return (fleet->blanks.old_release == NULL) != (fleet->blanks.new_release == NULL)
               ? cli_fail_usage(command, "--old and --new go together")
               : CLI_DONE;
}

static int parse_words(struct cli_fleet_values *fleet, const struct cli_parser *parser, int argc,
                       char **argv)
{
    int code = cli_take_options(parser, argc, argv);

    if (code == CLI_DONE) {
        code = take_question(fleet, parser->command, argv + optind);
    }
    return code == CLI_DONE ? check_releases(fleet, parser->command) : code;
}

/* Weeks end with the last day that the lake has, or today. What comes in later is not seen. */
static void find_day(struct cli_fleet_values *fleet, char *day, size_t size)
{
    struct fleet_engine *lake = &fleet->engine;
    struct tm date;

    fleet->blanks.day = day;
    if ((lake->folder == NULL || !fleet_lake_look(lake->folder, &lake->loads, day)) &&
        mb_time_to_utc(time(NULL), &date)) {
        (void)strftime(day, size, "%Y-%m-%d", &date);
    }
}

/* The two newest, if none are named; kept has what is to be freed. */
static enum mb_status find_releases(struct cli_fleet_values *fleet, char *kept[2],
                                    struct mb_error *err)
{
    if (fleet->blanks.old_release != NULL) {
        return MB_OK;
    }
    enum mb_status status =
        fleet_find_releases(&fleet->engine, &fleet->blanks, &kept[0], &kept[1], err);
    fleet->blanks.old_release = kept[0];
    fleet->blanks.new_release = kept[1];
    return status;
}

static int ask_engine(struct cli_fleet_values *fleet)
{
    struct mb_error err = {.status = MB_OK};
    char *releases[2] = {NULL, NULL};
    enum mb_status status =
        fleet->question->compares ? find_releases(fleet, releases, &err) : MB_OK;

    if (status == MB_OK) {
        status = fleet_ask(&fleet->engine, fleet->question, &fleet->blanks, &fleet->answer, &err);
    }
    free(releases[0]);
    free(releases[1]);
    mb_buf_finish(&fleet->engine.loads);
    if (status == MB_OK) {
        cli_put_output(fleet->answer.text.bytes, fleet->answer.text.size);
    }
    mb_buf_finish(&fleet->answer.text);
    if (status != MB_OK) {
        return cli_fail(&err);
    }
    return fleet->fails && fleet->question->judges && fleet->answer.rows > 0 ? CLI_SLOWER
                                                                             : CLI_DONE;
}

static void put_questions(struct mb_buf *out)
{
    mb_buf_put_string(out, "Questions:\n");
    for (size_t i = 0; i < fleet_question_count; i++) {
        mb_buf_printf(out, "  %-10s %s\n", fleet_questions[i].name, fleet_questions[i].summary);
    }
}

static int run_ask(int argc, char **argv)
{
    struct cli_values given = defaults;
    struct cli_fleet_values *fleet = &given.fleet;
    const struct cli_parser reader = {
        .command = "fleet ask", .options = cli_options, .values = &given};
    char day[16] = "";
    int code = parse_words(fleet, &reader, argc, argv);

    if (code != CLI_DONE || fleet->question == NULL) {
        return code;
    }
    if (fleet->engine.folder == NULL) {
        return cli_fail_usage("fleet ask", "a lake is needed");
    }
    find_day(fleet, day, sizeof(day));
    return ask_engine(fleet);
}

const struct cli_command cli_fleet_ask = {
    .name = "fleet ask",
    .summary = "answer a question over a lake",
    .usage = "usage: methodbeat fleet ask [OPTION...] QUESTION LAKE\n"
             "\n"
             "Answer a question over a lake, with DuckDB.\n",
    .put_list = put_questions,
    .notes = "example: methodbeat fleet ask rising --old 5.1 --new 5.2 --fail lake\n",
    .run = run_ask,
};

static enum mb_status write_page(const struct cli_fleet_values *fleet, const struct mb_buf *page,
                                 struct mb_error *err)
{
    struct cli_output output;
    enum mb_status status = cli_output_open(&output, fleet->output, err);
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

static int make_page(struct cli_fleet_values *fleet)
{
    struct mb_error err = {.status = MB_OK};
    char *releases[2] = {NULL, NULL};
    struct mb_buf page = {0};
    enum mb_status status = find_releases(fleet, releases, &err);

    if (status == MB_OK) {
        status = fleet_put_page(&page, &fleet->engine, &fleet->blanks, &err);
    }
    if (status == MB_OK) {
        status = write_page(fleet, &page, &err);
    }
    free(releases[0]);
    free(releases[1]);
    mb_buf_finish(&fleet->engine.loads);
    mb_buf_finish(&page);
    return status == MB_OK ? CLI_DONE : cli_fail(&err);
}

static int run_page(int argc, char **argv)
{
    struct cli_values given = defaults;
    struct cli_fleet_values *fleet = &given.fleet;
    const struct cli_parser reader = {
        .command = "fleet page", .options = cli_options, .values = &given, .operand = "lake"};
    char day[16] = "";
    int code = cli_take_options(&reader, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    fleet->engine.folder = argv[optind];
    if (fleet->engine.folder == NULL || fleet->output == NULL) {
        return cli_fail_usage("fleet page", "a lake and -o FILE are needed");
    }
    code = check_releases(fleet, "fleet page");
    if (code == CLI_DONE) {
        find_day(fleet, day, sizeof(day));
        code = make_page(fleet);
    }
    return code;
}

const struct cli_command cli_fleet_page = {
    .name = "fleet page",
    .summary = "show the answers in a browser",
    .usage = "usage: methodbeat fleet page -o FILE [OPTION...] LAKE\n"
             "\n"
             "Put the answers into one page for a browser, which loads nothing from anywhere.\n",
    .run = run_page,
};

static int run_sql(int argc, char **argv)
{
    struct cli_values given = defaults;
    struct cli_fleet_values *fleet = &given.fleet;
    const struct cli_parser reader = {
        .command = "fleet sql", .options = cli_options, .values = &given};
    struct mb_buf sql = {0};
    struct mb_error err = {.status = MB_OK};
    char day[16] = "";
    int code = parse_words(fleet, &reader, argc, argv);

    if (code != CLI_DONE || fleet->question == NULL) {
        return code;
    }
    if (fleet->question->compares && fleet->blanks.old_release == NULL) {
        return cli_fail_usage("fleet sql", "--old and --new are needed");
    }
    find_day(fleet, day, sizeof(day));
    if (fleet->engine.folder != NULL) {
        fleet_put_views(&sql, fleet->dialect,
                        &(struct fleet_place){.folder = fleet->engine.folder,
                                              .path = fleet->engine.folder,
                                              .loads = &fleet->engine.loads});
    }
    fleet_put_sql(&sql, fleet->dialect, fleet->question->sql, &fleet->blanks);
    mb_buf_put_string(&sql, ";\n");
    enum mb_status status = mb_buf_check(&sql, &err);
    if (status == MB_OK) {
        cli_put_output(sql.bytes, sql.size);
    }
    mb_buf_finish(&sql);
    mb_buf_finish(&fleet->engine.loads);
    return status == MB_OK ? CLI_DONE : cli_fail(&err);
}

const struct cli_command cli_fleet_sql = {
    .name = "fleet sql",
    .summary = "print the text of a question for another engine",
    .usage = "usage: methodbeat fleet sql [OPTION...] QUESTION [LAKE]\n"
             "\n"
             "Print the text of a question, to be run by another engine; with LAKE, also the "
             "statements\n"
             "that make its tables known to DuckDB, Spark and ClickHouse.\n",
    .put_list = put_questions,
    .run = run_sql,
};
