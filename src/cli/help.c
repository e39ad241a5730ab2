/* methodbeat help */

#include "cli/cli.h"

#include <string.h>

#define LEAST_LETTERS 4 /* of a topic's beginning that stands for it: mark, setting */

static const struct cli_command *const topics[] = {
#define CLI_COMMAND(name)
#define CLI_TOPIC(name) &cli_help_##name,
#include "cli/commands.def"
    NULL,
};

static const struct cli_command *find_topic(const char *name)
{
    size_t size = strlen(name);
    size_t i = 0;

    while (topics[i] != NULL && strncmp(strrchr(topics[i]->name, ' ') + 1, name, size) != 0) {
        i++;
    }
    return size >= LEAST_LETTERS ? topics[i] : NULL;
}

static int run_help(int argc, char **argv)
{
    int next = 2;

    if (argc < 2) {
        cli_print_commands();
        return CLI_DONE;
    }
    const struct cli_command *command = find_topic(argv[1]);
    if (command == NULL) {
        command = cli_find_command(argv[1]);
    }
    if (command == NULL) {
        return CLI_USAGE;
    }
    const struct cli_command *part = argc > 2 ? cli_find_part(command, argv[2]) : NULL;
    if (part != NULL) {
        command = part;
        next++;
    }
    const char *option = next < argc && argv[next][0] == '-' ? argv[next++] : NULL;
    if (next < argc) {
        return cli_fail_usage(NULL, "help is for one command: '%s' is too much", argv[next]);
    }
    return option != NULL ? cli_print_option(command, option) : cli_print_help(command);
}

const struct cli_command cli_help = {
    .name = "help",
    .summary = "explain a subcommand",
    .usage = "usage: methodbeat help [COMMAND [--OPTION] | settings | marks]\n\n"
             "List the subcommands, or explain one, one of its options, all settings, or what\n"
             "the marks in reports mean.\n",
    .run = run_help,
};
