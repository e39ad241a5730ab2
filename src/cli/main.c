/* Pick the subcommand, run it, make sure that what it printed has arrived. */

#include "cli/cli.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct cli_command *const commands[] = {
#define CLI_COMMAND(name) &cli_##name,
#include "cli/commands.def"
#undef CLI_COMMAND
};

const struct cli_command *cli_find_command(const char *name)
{
    for (size_t i = 0; i < MB_COUNT(commands); i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

void cli_print_commands(void)
{
    (void)fputs("usage: methodbeat COMMAND [ARGUMENT...]\n"
                "       methodbeat --help | --version\n\n"
                "Make Java programs record which methods ran and for how long.\n\n"
                "Commands:\n",
                stdout);
    for (size_t i = 0; i < MB_COUNT(commands); i++) {
        (void)printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
    }
}

static bool is_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

/* A --help anywhere behind the subcommand, up to the -- that ends the options. */
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (is_help(argv[i])) {
            return true;
        }
    }
    return false;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        return cli_fail_usage(NULL, "no subcommand given");
    }
    if (is_help(argv[1])) {
        cli_print_commands();
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)puts("methodbeat " MB_VERSION);
        return CLI_DONE;
    }
    const struct cli_command *command = cli_find_command(argv[1]);
    if (command == NULL) {
        return cli_fail_usage(NULL, "there is no subcommand '%s'", argv[1]);
    }
    if (asks_for_help(argc, argv)) {
        (void)fputs(command->usage, stdout);
        return CLI_DONE;
    }
    return command->run(argc - 1, argv + 1);
}

/* A full disk behind standard output shows when the last bytes are written. */
static int finish_output(int code)
{
    bool failed = ferror(stdout) != 0;

    errno = 0;
    if (fflush(stdout) != 0 || failed) {
        (void)fprintf(stderr, "methodbeat: standard output: %s\n",
                      errno != 0 ? strerror(errno) : "write error");
        return code != CLI_DONE ? code : CLI_FAILED;
    }
    return code;
}

int main(int argc, char **argv)
{
    /* Zip time stamps are local times: the same input gives the same bytes in any time zone. */
    if (setenv("TZ", "UTC0", 1) != 0) {
        perror("methodbeat");
        return CLI_FAILED;
    }
    tzset();
    return finish_output(run(argc, argv));
}
