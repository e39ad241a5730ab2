/* Shared parts of the subcommands: their table, printing, exit codes. */

#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/buf.h"
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
    const char *usage; /* --help above the options: "usage: methodbeat NAME ...\n", what it does */
    /* Appends what an argument can be, below the options; NULL if that needs no list. */
    void (*put_list)(struct mb_buf *out);
    const struct cli_command *const *parts; /* its own commands, "NAME PART", then NULL; or NULL */
    const char *notes;                      /* below the options: examples; NULL if none */
    /* argv[0] is the subcommand's name, argv[argc] is NULL. main has dealt with --help. Returns an
     * enum cli_exit. */
    int (*run)(int argc, char **argv);
};

#ifdef MB_ONLY_COMMAND
#define CLI_RECORDING(name)
#else
#define CLI_RECORDING(name) CLI_COMMAND(name)
#endif
#define CLI_FLEET(name) CLI_COMMAND(fleet_##name)
#define CLI_TOPIC(name) CLI_COMMAND(help_##name)
#define CLI_COMMAND(name) extern const struct cli_command cli_##name;
#include "cli/commands.def"

/* NULL if no such subcommand exists, which is then reported, with the nearest that there is. */
const struct cli_command *cli_find_command(const char *name);

/* Of --version: the version, the commit and the system that it is built of and for. */
extern const char cli_version[];

/* A subcommand that other builds have: it needs a recorder on its machine. */
bool cli_is_left_out(const char *name);

/* A line of a list in help: a name, its text from a column on. */
void cli_put_item(struct mb_buf *out, const char *name, const char *text);

/* The option's line of help, on standard output; CLI_USAGE if the command has none of that name. */
int cli_print_option(const struct cli_command *command, const char *name);

/* What --help of the command says, on standard output; an enum cli_exit. */
int cli_print_help(const struct cli_command *command);

/* That of the command's parts which has this name, or NULL. */
const struct cli_command *cli_find_part(const struct cli_command *command, const char *name);

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

/* Warn of what was wrong with --mapping, once it is not needed any more. */
struct rule_builds;
void cli_end_builds(struct rule_builds *builds);

/* Print the error and return the exit code that fits its status. */
int cli_fail(const struct mb_error *err);

/* The same where memory ran out and that is not yet reported. */
int cli_fail_memory(void);

/* "methodbeat COMMAND: message" and a hint at the help, on standard error; returns CLI_USAGE.
 * command may be NULL. */
int cli_fail_usage(const char *command, const char *format, ...) MB_PRINTF(2, 3);

#endif
