/* The command lines of `methodbeat instrument` and of its parts, collect and number. */

#ifndef CLI_INSTRUMENT_OPTIONS_H
#define CLI_INSTRUMENT_OPTIONS_H

#include "base/arena.h"
#include "base/error.h"
#include "cli/options.h"
#include "instrument/instrument.h"

struct cli_instrument_options {
    struct ins_options run;
    bool is_quiet;
    int exceptions;   /* of enum weave_exceptions; negative: the beat class decides */
    bool lacks_catch; /* the mode was chosen because a foreign beat class may have no c */
    uint64_t jobs;    /* 0: one per processor */
};

#define CLI_MOST_JOBS 256

cli_take_fn cli_take_item;  /* struct ins_list: one more */
cli_take_fn cli_take_name;  /* const char *: a class, in internal form */
cli_take_fn cli_take_names; /* struct ins_list of these */
cli_take_fn cli_take_paths; /* struct ins_list: a.jar:b.jar */

/* Read options and inputs of the step from argv[1..], and fill in defaults; texts are borrowed from
 * argv or owned by the arena. Gives CLI_DONE, or prints the error and gives CLI_USAGE or
 * CLI_FAILED. */
int cli_parse_step(enum ins_step step, struct cli_instrument_options *options,
                   struct mb_arena *arena, int argc, char **argv);

/* Run that step; an enum cli_exit. */
int cli_run_step(enum ins_step step, int argc, char **argv);

/* ---- Command lines longer than the system allows ---- */

/* A copy of argv in which each argument @FILE is replaced by the lines of FILE, one argument each,
 * without empty lines. Lines are not expanded again. Write ./@ for an argument that begins with @
 * itself. Texts are borrowed from argv or owned by the arena. */
MB_MUST_CHECK enum mb_status cli_expand_arguments(struct mb_arena *arena, int *argc, char ***argv,
                                                  struct mb_error *err);

#endif
