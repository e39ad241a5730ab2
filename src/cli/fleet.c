/* methodbeat fleet */

#include "cli/fleet.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "cli/cli.h"
#include "issues/fleet/load.h"
#include "issues/fleet/questions.h"
#include "issues/fleet/schema.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct cli_command *const parts[] = {
#define CLI_FLEET(name) &cli_fleet_##name,
#include "cli/commands.def"
    NULL};

/* What commands of before became. */
static const char *const moved[][2] = {{"page", "ask -o FILE LAKE"}, {"sql", "ask --sql ENGINE"}};

static int fail_part(const char *name)
{
    for (size_t i = 0; i < MB_COUNT(moved) && name != NULL; i++) {
        if (strcmp(moved[i][0], name) == 0) {
            return cli_fail_usage("fleet", "there is no '%s' any more: it is fleet %s", name,
                                  moved[i][1]);
        }
    }
    return cli_fail_usage("fleet", "a command is needed: rows, load, ask or compact");
}

static int run_fleet(int argc, char **argv)
{
    const struct cli_command *part = argc > 1 ? cli_find_part(&cli_fleet, argv[1]) : NULL;

    if (part == NULL) {
        return fail_part(argv[1]);
    }
    mb_interrupt_catch();
    return part->run(argc - 1, argv + 1);
}

const struct cli_command cli_fleet = {
    .name = "fleet",
    .summary = "ask what many devices have recorded",
    .usage =
        "usage: methodbeat fleet COMMAND [ARGUMENT...]\n"
        "\n"
        "Compare what many devices wrote: make rows of it, load them into a lake, a folder of\n"
        "Parquet, and ask questions about that.\n",
    .parts = parts,
    .run = run_fleet,
};

/* ---- load ---- */

static void print_loaded(const struct fleet_loaded *loaded)
{
    (void)printf("%" PRIu64 " uploads", loaded->uploads);
    if (loaded->known > 0) {
        (void)printf(", and %" PRIu64 " that were loaded before", loaded->known);
    }
    if (loaded->aside > 0) {
        (void)printf(", and %" PRIu64 " set aside", loaded->aside);
    }
    (void)puts("");
    for (size_t i = 0; i < FLEET_TABLE_COUNT && loaded->uploads > 0; i++) {
        uint64_t doubles = loaded->rows[i] - loaded->kept[i];
        if (loaded->rows[i] == 0) {
            continue;
        }
        (void)printf("%12" PRIu64 " %s", loaded->kept[i], fleet_schemas[i].name);
        if (doubles > 0 && doubles <= loaded->rows[i]) {
            (void)printf(" (%" PRIu64 " more that were there)", doubles);
        }
        (void)puts("");
    }
    for (size_t i = 0; i < FLEET_DOUBT_COUNT; i++) {
        if (loaded->doubts[i] > 0) {
            (void)printf("%12" PRIu64 " %s, left out\n", loaded->doubts[i], fleet_doubt_words[i]);
        }
    }
}

static int print_sql(const struct cli_fleet_values *fleet, const char *uploads)
{
    const struct fleet_place place = {.path = fleet->into, .uploads = uploads};
    struct fleet_blanks blanks = fleet->blanks;
    struct mb_buf sql = {0};
    fleet_day today;

    fleet_find_day(today, "", (int64_t)time(NULL) * MB_NS_PER_S);
    blanks.day = today;
    blanks.place = &place;
    bool is_spark = fleet->dialect == FLEET_SPARK;
    fleet_put_sql(&sql, (enum fleet_dialect)fleet->dialect,
                  is_spark ? fleet_load_sql.spark : fleet_load_sql.clickhouse, &blanks);
    bool is_whole = !sql.failed;
    (void)fwrite(sql.bytes, 1, is_whole ? sql.size : 0, stdout);
    mb_buf_finish(&sql);
    return is_whole ? CLI_DONE : cli_fail_memory();
}

static int run_load(int argc, char **argv)
{
    struct cli_values given = {.fleet = {.blanks = {.days = 10000}, .dialect = -1}};
    const struct cli_parser parser = {"fleet load", cli_options, &given,
                                      .operand = "folder of uploads"};
    struct fleet_loaded loaded = {0};
    struct mb_error err = {.status = MB_OK};
    int code = cli_take_options(&parser, argc, argv);
    struct fleet_rows rows = {.writer = NULL};
    const char *const paths[] = {argv[optind], NULL};
    const struct fleet_load load = {argv[optind],     &rows,
                                    given.fleet.into, given.fleet.engine.command,
                                    given.is_strict,  cli_print_warning};

    if (code != CLI_DONE) {
        return code;
    }
    if (load.folder == NULL || (load.into == NULL && given.fleet.dialect != FLEET_CLICKHOUSE)) {
        return cli_fail_usage("fleet load", "a folder of uploads and --into LAKE are needed");
    }
    if (given.fleet.dialect >= 0) {
        return print_sql(&given.fleet, load.folder);
    }
    enum mb_status status = cli_fleet_begin(&rows, &given, paths, &err);
    if (status == MB_OK) {
        status = fleet_load_run(&load, &loaded, &err);
    }
    if (status == MB_OK) {
        print_loaded(&loaded);
    } else {
        code = cli_fail(&err);
    }
    cli_fleet_end(&rows, &given);
    return code;
}

const struct cli_command cli_fleet_load = {
    .name = "fleet load",
    .summary = "add rows to a lake",
    .usage =
        "usage: methodbeat fleet load --into LAKE [OPTION...] FOLDER\n"
        "\n"
        "Add what is below FOLDER to a lake, a folder of Parquet by day, with DuckDB: what the\n"
        "monitors or an intake wrote (*.json, *.json.gz, *.ndjson.gz), and rows (*.ndjson,\n"
        "*.ndjson.zst). What was loaded before adds nothing. --sql prints what does so on Spark,\n"
        "for many machines.\n",
    .notes =
        "example: methodbeat fleet load --sql spark --into s3a://b/lake s3a://b/rows >load.sql\n",
    .run = run_load,
};

/* ---- compact ---- */

static int rewrite_lake(const struct fleet_rewrite *rewrite)
{
    struct fleet_rewritten done;
    struct mb_error err;

    if (fleet_rewrite_run(rewrite, &done, &err) != MB_OK) {
        return cli_fail(&err);
    }
    (void)printf("%" PRIu64 " files, were %" PRIu64 "\n", done.files, done.files_before);
    if (rewrite->devices != NULL || rewrite->before != NULL) {
        (void)printf("%12" PRIu64 " rows forgotten\n", done.gone);
    }
    return CLI_DONE;
}

static int run_compact(int argc, char **argv)
{
    struct cli_values given = {0};
    const struct cli_parser parser = {"fleet compact", cli_options, &given, .operand = "lake"};
    struct fleet_rewrite *rewrite = &given.fleet.rewrite;
    int code = cli_take_options(&parser, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (argc != optind + 1 || (rewrite->devices != NULL && *rewrite->devices == '\0')) {
        return cli_fail_usage("fleet compact",
                              argc != optind + 1 ? "a lake is needed" : "--forget names no device");
    }
    if (rewrite->before != NULL && !fleet_is_day(rewrite->before)) {
        return cli_fail_usage("fleet compact", "'%s' is not a day so far, as 2026-10-31",
                              rewrite->before);
    }
    rewrite->lake = argv[optind];
    rewrite->engine = given.fleet.engine.command;
    return rewrite_lake(rewrite);
}

const struct cli_command cli_fleet_compact = {
    .name = "fleet compact",
    .summary = "make one file of each table and day, or forget devices",
    .usage =
        "usage: methodbeat fleet compact [OPTION...] LAKE\n"
        "\n"
        "Write the rows of many small loads again, as one file of each table and day: answers\n"
        "stay as they were. With --forget or --forget-before, no file of the lake has the rows\n"
        "of these devices or days any more.\n",
    .notes = "example: methodbeat fleet compact --forget 5f0c6e2d lake\n",
    .run = run_compact,
};
