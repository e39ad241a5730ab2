/* methodbeat number */

#include "cli/cli.h"
#include "cli/instrument_options.h"

static int run_number(int argc, char **argv)
{
    return cli_run_step(INS_NUMBER, argc, argv);
}

const struct cli_command cli_number = {
    .name = "number",
    .summary = "give ids to the methods that collect listed",
    .usage = "usage: methodbeat number -o MAP --slices DIR [OPTION...] NAMES...\n"
             "\n"
             "The second of three steps (methodbeat help collect): give each method of all inputs\n"
             "an id, and write for each of NAMES a slice of the same name, which changes only if\n"
             "something changes that the rewriting of its input depends on.\n",
    .run = run_number,
};
