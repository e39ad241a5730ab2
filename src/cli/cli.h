/* Shared parts of the subcommands: their table, printing, exit codes. */

#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/check.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum cli_exit {
    CLI_DONE = 0,
    CLI_FAILED = 1, /* no output was replaced */
    CLI_USAGE = 2,  /* the command line is wrong */
    CLI_SLOWER = 3, /* report --fail-above: done, and slower than that */
};

/* A subcommand is one file. A new one is NAME.c defining cli_NAME and a line in commands.def. */
struct cli_command {
    const char *name;
    const char *summary; /* one line, lower case, no period */
    const char *usage;   /* text of --help: "usage: methodbeat NAME ...\n", options, examples */
    /* argv[0] is the subcommand's name, argv[argc] is NULL. main has dealt with --help. Returns an
     * enum cli_exit. */
    int (*run)(int argc, char **argv);
};

#ifdef MB_ONLY_COMMAND
#define CLI_RECORDING(name)
#else
#define CLI_RECORDING(name) CLI_COMMAND(name)
#endif
#define CLI_COMMAND(name) extern const struct cli_command cli_##name;
#include "cli/commands.def"
#undef CLI_COMMAND

/* NULL if no such subcommand exists, which is then reported, with the nearest that there is. */
const struct cli_command *cli_find_command(const char *name);

/* Of --version: the version, the commit and the system that it is built of and for. */
extern const char cli_version[];

/* A subcommand that other builds have: it needs a recorder on its machine. */
bool cli_is_left_out(const char *name);

/* The list of subcommands, on standard output. */
void cli_print_commands(void);

/* Bytes for standard output. A failure is kept for main, which reports it. */
void cli_put_output(const void *bytes, size_t size);

/* Flush the output. */
void cli_flush_output(void);

/* errno of the first of the two that failed, or 0. */
int cli_output_error(void);

/* "methodbeat: input: where: reason" on standard error. */
void cli_print_error(const struct mb_error *err);

/* The same with "warning: " in front; the run goes on. */
void cli_print_warning(const struct mb_error *err);

/* The same of several, a line each. */
void cli_print_warnings(const struct mb_error *errors, size_t count);

/* Print the error and return the exit code that fits its status. */
int cli_fail(const struct mb_error *err);

/* The same where memory ran out and that is not yet reported. */
int cli_fail_memory(void);

/* "methodbeat COMMAND: message" and a hint at the help, on standard error; returns CLI_USAGE.
 * command may be NULL. */
int cli_fail_usage(const char *command, const char *format, ...) MB_PRINTF(2, 3);

#endif
