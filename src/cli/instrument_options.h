/* The command line of `methodbeat instrument`. */

#ifndef CLI_INSTRUMENT_OPTIONS_H
#define CLI_INSTRUMENT_OPTIONS_H

#include "base/arena.h"
#include "instrument/instrument.h"

struct cli_instrument_options {
    struct ins_options run;
    bool is_quiet;
    int exceptions;   /* of enum weave_exceptions; negative: the beat class decides */
    bool lacks_catch; /* so it did, since a beat class of somebody else may have no c */
    uint64_t jobs;    /* 0: one per processor */
};

extern const char cli_instrument_usage[];

/* Options and inputs of argv[1..], with what was not given filled in; texts are borrowed from argv
 * or owned by the arena. Gives CLI_DONE, or prints what is wrong and gives CLI_USAGE or
 * CLI_FAILED. */
int cli_parse_instrument(struct cli_instrument_options *options, struct mb_arena *arena, int argc,
                         char **argv);

#endif
