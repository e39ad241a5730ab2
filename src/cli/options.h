/* Options as a table: a row gives the option's name, the commands that have it, the function that
 * takes its argument, the place of its value, and its line of help. options.def has all rows. And
 * what a mistyped word most likely means. */

#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli_option;

/* Which command's options are read, and to where. */
struct cli_parser {
    const char *command;
    const struct cli_option *options; /* ended by one without a name */
    void *values;                     /* the struct that the rows' offsets are of */
    const char *operand;              /* what the only one is, in words; NULL: any number */
    void *context;                    /* for the take functions of the command itself */
    bool stops_at_operand;            /* the rest belongs to another command: keep its order */
};

/* Store the argument, NULL for a flag, in its place. CLI_DONE, or the result of cli_fail_usage. */
typedef int cli_take_fn(const struct cli_parser *parser, const struct cli_option *option,
                        void *place, const char *argument);

struct cli_choice {
    const char *name; /* NULL ends the table */
    int value;
};

struct cli_option {
    const char *name;
    const char *commands; /* their names, as "run, attach"; NULL: all that have the table */
    const char *word;     /* stands for the argument in the help; "" if choices do, or nothing */
    const char *help;     /* what the option does */
    const char *group;    /* a heading above it in the help, or NULL */
    char letter;          /* '\0': without */
    cli_take_fn *take;
    size_t offset;                    /* of the place in the values */
    const struct cli_choice *choices; /* of cli_take_choice and cli_take_choices */
    const char *otherwise; /* its argument, which follows a '=', may be left out: then this;
                            * NULL: it may not */
    uint64_t least;        /* of those that take numbers */
    uint64_t most;
};

/* Print that the option cannot have this argument, and which it can have; CLI_USAGE. */
int cli_refuse(const struct cli_parser *parser, const struct cli_option *option,
               const char *argument, const char *wanted);

/* Append a name to a terminated list: "a", "a, b", and if it is the last "a, b or c". */
void cli_put_alternative(char *text, size_t size, const char *name, bool is_last);

cli_take_fn cli_take_flag;    /* sets a bool; the only kind without an argument */
cli_take_fn cli_take_text;    /* const char *, borrowed; not empty */
cli_take_fn cli_take_map;     /* struct answer_map_place: a file, or what is there as a folder, or a
                               * list of folders */
cli_take_fn cli_take_choice;  /* an enum */
cli_take_fn cli_take_choices; /* unsigned: the sum of the values, which are bits, of a list */
cli_take_fn cli_take_number;  /* uint64_t */
cli_take_fn cli_take_percent; /* uint64_t: "10", "10%" */
cli_take_fn cli_take_seconds; /* uint64_t: "90", "90s", "5m", "1h", "2d" */

/* The first option of the command from this row on; the end, without a name, if there is none. */
const struct cli_option *cli_next_option(const char *command, const struct cli_option *option);

/* Append the options of a command, with their lines of help. */
void cli_put_options(struct mb_buf *out, const char *command);

/* Read the options of argv[1..]; operands are moved after them (except with stops_at_operand),
 * optind is the first operand. CLI_DONE, or prints the error and gives another enum cli_exit. At
 * most 63 options of a command. */
int cli_take_options(const struct cli_parser *parser, int argc, char **argv);

/* ---- The most likely meaning of a mistyped word ---- */

/* Zeroed except word; best is NULL while no name is near enough. */
struct cli_nearest {
    const char *word;
    const char *best; /* borrowed from the candidates */
    size_t distance;  /* letters to put in, take out, change or swap */
};

/* The nearest name wins, the first of equals. A name that begins with the word is nearer than any
 * other; a name is too far if a third of its letters or more differ. */
void cli_nearest_offer(struct cli_nearest *nearest, const char *name);

#endif
