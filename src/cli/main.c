/* Pick the subcommand, run it, and check that its output was written. */

#include "base/platform_system.h"
#include "cli/cli.h"
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_command *const commands[] = {
#define CLI_COMMAND(name) &cli_##name,
#include "cli/commands.def"
};

/* What commands of before became. */
static const struct {
    const char *name;
    const char *now;
} moved[] = {{"records", "report --format records"}, {"control", "attach --dump or attach --stop"}};

static bool fail_moved(const char *name)
{
    size_t i = 0;

    while (i < MB_COUNT(moved) && strcmp(moved[i].name, name) != 0) {
        i++;
    }
    if (i < MB_COUNT(moved)) {
        (void)cli_fail_usage(NULL, "there is no subcommand '%s' any more: it is %s", name,
                             moved[i].now);
    }
    return i < MB_COUNT(moved);
}

static void fail_command(const char *name)
{
    struct cli_nearest nearest = {.word = name};

    if (fail_moved(name)) {
        return;
    }

    for (size_t i = 0; i < MB_COUNT(commands); i++) {
        cli_nearest_offer(&nearest, commands[i]->name);
    }
    if (cli_is_left_out(name)) {
        (void)cli_fail_usage(NULL,
                             "'%s' needs Linux: here, 'methodbeat instrument' puts probes in at "
                             "build time, and 'methodbeat report' reads a trace from there",
                             name);
    } else if (nearest.best != NULL) {
        (void)cli_fail_usage(NULL, "there is no subcommand '%s': did you mean %s?", name,
                             nearest.best);
    } else {
        (void)cli_fail_usage(NULL, "there is no subcommand '%s'", name);
    }
}

const struct cli_command *cli_find_command(const char *name)
{
    for (size_t i = 0; i < MB_COUNT(commands); i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    fail_command(name);
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
    (void)puts("\nmethodbeat help COMMAND explains one; help settings and help marks list those.");
}

static bool is_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

/* A --help anywhere after the subcommand, up to the -- that ends the options. */
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (is_help(argv[i])) {
            return true;
        }
    }
    return false;
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        return cli_fail_usage(NULL, "no subcommand given");
    }
    if (is_help(argv[1])) {
        cli_print_commands();
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)puts(cli_version);
        return CLI_DONE;
    }
    const struct cli_command *command = cli_find_command(argv[1]);
    if (command == NULL) {
        return CLI_USAGE;
    }
    if (asks_for_help(argc, argv)) {
        const struct cli_command *part = cli_find_part(command, argv[2]);
        return cli_print_help(part != NULL ? part : command);
    }
    return command->run(argc - 1, argv + 1);
}

/* If standard output is on a full disk, that shows when the last bytes are written. */
static int finish_output(int code)
{
    cli_flush_output();
    int error = cli_output_error();
    if (error != 0) {
        (void)fprintf(stderr, "methodbeat: standard output: %s\n", strerror(error));
        return code != CLI_DONE ? code : CLI_FAILED;
    }
    return code;
}

int main(int argc, char **argv)
{
    mb_system_begin(&argc, &argv);
    return finish_output(run_command(argc, argv));
}
