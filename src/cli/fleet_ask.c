/* methodbeat fleet ask */

#include "base/platform_system.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/values.h"
#include "issues/fleet/ask.h"
#include "issues/fleet/lake.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ASK "fleet ask"

static int fail_question(const char *name)
{
    struct cli_nearest nearest = {.word = name};

    for (size_t i = 0; i < fleet_question_count && name != NULL; i++) {
        cli_nearest_offer(&nearest, fleet_questions[i].name);
    }
    return nearest.best != NULL ? cli_fail_usage(ASK, "there is no question '%s': did you mean %s?",
                                                 name, nearest.best)
           : name != NULL       ? cli_fail_usage(ASK, "there is no question '%s'", name)
                                : cli_fail_usage(ASK, "a question is needed");
}

static int fail_ask(const char *reason)
{
    return cli_fail_usage(ASK, "%s", reason);
}

/* One operand beside an output is the lake: all answers, as a page. */
static int take_operands(struct cli_fleet_values *fleet, int count, char **operands)
{
    fleet->is_page = count == 1 && fleet->output != NULL && !fleet->prints_sql;
    if (!fleet->is_page) {
        fleet->question = count > 0 ? fleet_find_question(operands[0]) : NULL;
        if (fleet->question == NULL) {
            return fail_question(count > 0 ? operands[0] : NULL);
        }
    }
    fleet->engine.folder = fleet->is_page ? operands[0] : operands[1];
    return count > 2 ? fail_ask("one lake at most") : CLI_DONE;
}

static int check_words(const struct cli_fleet_values *fleet)
{
    bool has_releases = fleet->blanks.old_release != NULL;

    assert(fleet->is_page || fleet->question != NULL);
    if (has_releases != (fleet->blanks.new_release != NULL)) {
        return fail_ask("--old and --new go together");
    }
    if (fleet->prints_sql && !fleet->is_page && fleet->question->compares && !has_releases) {
        return fail_ask("--old and --new are needed");
    }
    if (!fleet->prints_sql && fleet->engine.folder == NULL) {
        return fail_ask("a lake is needed");
    }
    bool is_of_answer = fleet->fails || fleet->answer.format != FLEET_AS_TEXT;
    return is_of_answer && (fleet->is_page || fleet->prints_sql)
               ? fail_ask("--fail and --format are of one answer")
               : CLI_DONE;
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

/* ---- Results ---- */

static enum mb_status put_answer(struct cli_fleet_values *fleet, struct mb_buf *out,
                                 struct mb_error *err)
{
    enum mb_status status =
        fleet_ask(&fleet->engine, fleet->question, &fleet->blanks, &fleet->answer, err);

    mb_buf_put(out, fleet->answer.text.bytes, fleet->answer.text.size);
    mb_buf_finish_part(out, &fleet->answer.text);
    return status;
}

/* With a lake, also the statements that make its tables known. */
static enum mb_status put_sql(const struct cli_fleet_values *fleet, struct mb_buf *sql,
                              struct mb_error *err)
{
    const char *lake = fleet->engine.folder;
    enum fleet_dialect dialect = (enum fleet_dialect)fleet->dialect;
    const struct fleet_place place = {.folder = lake, .path = lake, .loads = &fleet->engine.loads};

    assert(fleet->question != NULL);
    if (lake != NULL) {
        fleet_put_views(sql, dialect, &place);
    }
    fleet_put_sql(sql, dialect, fleet->question->sql, &fleet->blanks);
    mb_buf_put_string(sql, ";\n");
    return mb_buf_check(sql, err);
}

static enum mb_status put_result(struct cli_fleet_values *fleet, struct mb_buf *out,
                                 struct mb_error *err)
{
    char *releases[2] = {NULL, NULL};
    enum mb_status status = MB_OK;

    assert(fleet->is_page || fleet->question != NULL);
    if (fleet->prints_sql) {
        return put_sql(fleet, out, err);
    }
    if (fleet->is_page || fleet->question->compares) {
        status = find_releases(fleet, releases, err);
    }
    if (status == MB_OK) {
        status = fleet->is_page ? fleet_put_page(out, &fleet->engine, &fleet->blanks, err)
                                : put_answer(fleet, out, err);
    }
    free(releases[0]);
    free(releases[1]);
    return status;
}

static enum mb_status write_result(const struct cli_fleet_values *fleet,
                                   const struct mb_buf *result, struct mb_error *err)
{
    struct cli_output output;
    enum mb_status status = cli_output_open(&output, fleet->output, err);
    const struct format_sink sink = cli_output_sink(&output);

    if (status == MB_OK) {
        status = sink.take(sink.context, result->bytes, result->size, err);
    }
    if (status == MB_OK) {
        status = cli_output_commit(&output, err);
    }
    cli_output_finish(&output);
    return status;
}

static int ask_lake(struct cli_fleet_values *fleet)
{
    struct mb_error err = {.status = MB_OK};
    struct mb_buf result = {0};
    enum mb_status status = put_result(fleet, &result, &err);

    if (status == MB_OK) {
        status = write_result(fleet, &result, &err);
    }
    mb_buf_finish(&result);
    mb_buf_finish(&fleet->engine.loads);
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
    struct cli_values given = {.fleet = {.blanks = {.days = 28, .top = 20}, .dialect = -1}};
    struct cli_fleet_values *fleet = &given.fleet;
    const struct cli_parser parser = {.command = ASK, .options = cli_options, .values = &given};
    char day[16] = "";
    int code = cli_take_options(&parser, argc, argv);

    if (code == CLI_DONE) {
        fleet->prints_sql = fleet->dialect >= 0;
        code = take_operands(fleet, argc - optind, argv + optind);
    }
    if (code == CLI_DONE) {
        code = check_words(fleet);
    }
    if (code == CLI_DONE) {
        find_day(fleet, day, sizeof(day));
        code = ask_lake(fleet);
    }
    return code;
}

const struct cli_command cli_fleet_ask = {
    .name = "fleet ask",
    .summary = "answer a question over a lake, or all as a page",
    .usage = "usage: methodbeat fleet ask [OPTION...] QUESTION LAKE\n"
             "       methodbeat fleet ask -o PAGE [OPTION...] LAKE\n"
             "       methodbeat fleet ask --sql ENGINE [OPTION...] QUESTION [LAKE]\n"
             "\n"
             "Answer a question over a lake, with DuckDB; without a question all of them, in one\n"
             "page for a browser, which loads nothing from anywhere. --sql prints the text of a\n"
             "question instead, to be run by another engine; with LAKE, also the statements that\n"
             "make its tables known to DuckDB, Spark and ClickHouse.\n",
    .put_list = put_questions,
    .notes = "example: methodbeat fleet ask rising --old 5.1 --new 5.2 --fail lake\n",
    .run = run_ask,
};
