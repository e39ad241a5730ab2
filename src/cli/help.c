#include "cli/cli.h"

#include <string.h>

static int run_help(int argc, char **argv)
{
    if (argc > 2) {
        return cli_fail_usage("help", "one subcommand at most");
    }
    if (argc < 2) {
        cli_print_commands();
        return CLI_DONE;
    }
    const struct cli_command *command = cli_find_command(argv[1]);
    if (command == NULL) {
        return CLI_USAGE;
    }
    cli_put_output(command->usage, strlen(command->usage));
    return CLI_DONE;
}

const struct cli_command cli_help = {
    .name = "help",
    .summary = "explain a subcommand",
    .usage = "usage: methodbeat help [COMMAND]\n\n"
             "List the subcommands, or explain one.\n",
    .run = run_help,
};
