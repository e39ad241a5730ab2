/* The command line of `methodbeat instrument`. */

#ifndef CLI_INSTRUMENT_OPTIONS_H
#define CLI_INSTRUMENT_OPTIONS_H

#include "base/arena.h"
#include "instrument/instrument.h"

struct cli_instrument_options {
    struct ins_options run;
    bool is_quiet;
    int exceptions;   /* of enum weave_exceptions; negative: the beat class decides */
    bool lacks_catch; /* the mode was chosen because a foreign beat class may have no c */
    uint64_t jobs;    /* 0: one per processor */
};

extern const char cli_instrument_usage[];

/* Read options and inputs from argv[1..], and fill in defaults; texts are borrowed from argv or
 * owned by the arena. Gives CLI_DONE, or prints the error and gives CLI_USAGE or CLI_FAILED. */
int cli_parse_instrument(struct cli_instrument_options *options, struct mb_arena *arena, int argc,
                         char **argv);

#endif
