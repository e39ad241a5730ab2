/* methodbeat fleet */

#include "cli/fleet.h"

#include "base/interrupt.h"
#include "cli/cli.h"

#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} parts[] = {{"rows", cli_fleet_rows},
             {"load", cli_fleet_load},
             {"ask", cli_fleet_ask},
             {"page", cli_fleet_page},
             {"sql", cli_fleet_sql}};

static int run_fleet(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < MB_COUNT(parts); i++) {
        if (strcmp(argv[1], parts[i].name) == 0) {
            mb_interrupt_catch();
            return parts[i].run(argc - 1, argv + 1);
        }
    }
    return cli_fail_usage("fleet", "a command is needed: rows, load, ask, page or sql");
}

const struct cli_command cli_fleet = {
    .name = "fleet",
    .summary = "ask what many devices have recorded",
    .usage =
        "usage: methodbeat fleet rows -o FILE [OPTION...] SPOOL|FILE|TRACE...\n"
        "       methodbeat fleet load --into LAKE [OPTION...] FOLDER\n"
        "       methodbeat fleet ask [OPTION...] QUESTION LAKE\n"
        "       methodbeat fleet page -o FILE [OPTION...] LAKE\n"
        "       methodbeat fleet sql [OPTION...] QUESTION [LAKE]\n"
        "\n"
        "rows makes what one device or many wrote comparable: names in place of ids, as before "
        "R8,\n"
        "and keys of stacks from them. load adds rows to a lake, a folder of Parquet by day, with\n"
        "DuckDB; what was loaded before adds nothing. ask answers a question over a lake, page\n"
        "shows the answers in a browser, and sql prints the text of one, the same for all "
        "engines.\n"
        "Questions:\n"
        "\n"
        "  top        the causes that cost most, this week beside the one before\n"
        "  new        causes that the old release never had\n"
        "  rising     causes that come more often, by session\n"
        "  regressed  methods that take a larger share of time\n"
        "  flame      where time went that it did not go before\n"
        "  starts     how long starts take, by model and release\n"
        "  frames     how long frames take, by scene and release\n"
        "  who        who runs what\n"
        "  days       sessions and issues by day and release\n"
        "  stacks     a stack of each cause\n"
        "  tree       the time of chains of callers\n"
        "\n"
        "rows and page:\n"
        "  -o, --output FILE      of rows a JSON object a line, packed by zstd if it ends with "
        ".zst\n"
        "rows:\n"
        "      --method-map PATH  methodMapping.txt of the program, or folders to search for the\n"
        "                         maps that inputs name, separated by colons; default: beside "
        "them\n"
        "      --mapping FILE     restore original names: mapping.txt of ProGuard or R8\n"
        "      --strict           write nothing if any input is unreadable\n"
        "load:\n"
        "      --into LAKE        made if it is absent\n"
        "load, ask and page:\n"
        "      --engine-command PROGRAM  in place of duckdb\n"
        "ask, page and sql:\n"
        "      --old RELEASE, --new RELEASE  to compare; default: the two newest, not of sql\n"
        "      --where CONDITION  SQL over the columns that say who, as \"device_class = 'LOW'\"\n"
        "      --top N            rows at most, default 20\n"
        "ask:\n"
        "      --format FORMAT    text (default), json\n"
        "      --fail             exit with 3 if something got worse\n"
        "sql:\n"
        "      --engine ENGINE    duckdb (default), spark, clickhouse, trino, bigquery\n"
        "\n"
        "example: methodbeat fleet ask rising --old 5.1 --new 5.2 --fail lake\n",
    .run = run_fleet,
};
