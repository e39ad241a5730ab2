/* The command lines of `methodbeat instrument` and of its parts, collect and number. */

#ifndef CLI_INSTRUMENT_OPTIONS_H
#define CLI_INSTRUMENT_OPTIONS_H

#include "base/arena.h"
#include "cli/options.h"
#include "instrument/instrument.h"

struct cli_instrument_options {
    struct ins_options run;
    bool is_quiet;
    int exceptions;   /* of enum weave_exceptions; negative: the beat class decides */
    bool lacks_catch; /* the mode was chosen because a foreign beat class may have no c */
    uint64_t jobs;    /* 0: one per processor */
};

extern const char cli_instrument_usage[];

/* For the rows of such tables, whose offsets are of struct cli_instrument_options. */
extern const struct cli_choice cli_rule_profiles[];
extern const struct cli_choice cli_exception_modes[];
cli_take_fn cli_take_item;  /* struct ins_list: one more */
cli_take_fn cli_take_name;  /* const char *: a class, in internal form */
cli_take_fn cli_take_names; /* struct ins_list of these */
cli_take_fn cli_take_paths; /* struct ins_list: a.jar:b.jar */

/* Read options and inputs from argv[1..], and fill in defaults; texts are borrowed from argv or
 * owned by the arena. Gives CLI_DONE, or prints the error and gives CLI_USAGE or CLI_FAILED. */
int cli_parse_instrument(struct cli_instrument_options *options, struct mb_arena *arena, int argc,
                         char **argv);

/* The same for a step that has a table of its own. */
int cli_parse_part(const struct cli_parser *table, enum ins_step step,
                   struct cli_instrument_options *options, struct mb_arena *arena, int argc,
                   char **argv);

/* Run that step; INS_ALL: instrument, without a table. */
int cli_run_part(const struct cli_parser *table, enum ins_step step, int argc, char **argv);

#endif
