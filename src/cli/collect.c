/* methodbeat collect */

#include "cli/cli.h"
#include "cli/instrument_options.h"

static int run_collect(int argc, char **argv)
{
    return cli_run_step(INS_COLLECT, argc, argv);
}

const struct cli_command cli_collect = {
    .name = "collect",
    .summary = "list an input's methods by hash, for number",
    .usage = "usage: methodbeat collect -o NAMES [OPTION...] INPUT...\n"
             "\n"
             "The first of three steps that do the work of instrument, so that a build system can\n"
             "keep the result of each: write which methods of an input get probes, and what the\n"
             "rewriting of other inputs depends on. Equal classes give equal files.\n"
             "instrument has to get the same options.\n",
    .notes = "Example:\n"
             "  methodbeat collect -o app.names app.jar; methodbeat collect -o lib.names lib.jar\n"
             "  methodbeat number --ledger old.map --slices ids -o new.map app.names lib.names\n"
             "  methodbeat instrument --ids ids/app.names -o out/app app.jar\n",
    .run = run_collect,
};
