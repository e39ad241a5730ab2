/* methodbeat fleet */

#include "base/interrupt.h"
#include "cli/cli.h"

static const struct cli_command *const parts[] = {
#define CLI_FLEET(name) &cli_fleet_##name,
#include "cli/commands.def"
    NULL};

static int run_fleet(int argc, char **argv)
{
    const struct cli_command *part = argc > 1 ? cli_find_part(&cli_fleet, argv[1]) : NULL;

    if (part == NULL) {
        return cli_fail_usage("fleet", "a command is needed: rows, load, ask, page or sql");
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
