/* A run as a whole. Only pipeline.c and run.c know it: every other function gets what it uses. */

#ifndef INSTRUMENT_RUN_H
#define INSTRUMENT_RUN_H

#include "instrument/emit/mapfiles.h"
#include "instrument/history/resume.h"
#include "instrument/instrument.h"
#include "instrument/plan/content.h"
#include "instrument/plan/library.h"
#include "instrument/plan/merge.h"
#include "rules/mapping.h"

/* The user's inputs. */
struct ins_inputs {
    struct plan_sources sources;
    struct rule_set *rules;
    struct rule_mapping *mapping; /* may be NULL */
};

/* The facts and decisions about the inputs. */
struct ins_model {
    struct mb_intern *names;
    struct plan_contents contents;
    struct plan_library library;
    struct plan_describer describer;
    struct plan_member *members; /* of the merged jar, if requested */
    size_t member_count;
    struct plan_order order;
    struct abi_methodmap base; /* ids that stay */
    struct plan_numbering numbering;
    struct plan_warnings warnings;
};

/* Where it goes. */
struct ins_outputs {
    struct pub_outputs *publish;
    const char **paths;    /* by source; NULL for jars inside archives, and if merged */
    bool are_maps_current; /* they stay as they are */
    struct emit_mapfiles *maps;
    uint64_t fingerprint; /* of the options, with --state */
};

struct ins_run {
    const struct ins_options *options;
    struct ins_counts *counts;
    struct plan_crew crew;
    struct ins_inputs inputs;
    struct ins_model model;
    struct ins_outputs outputs;
    struct history history; /* the state of the last run */
    struct mb_arena arena;
};

/* Zeroed memory, then init; finish also after a failure. Starts no thread, reads the texts that the
 * options name. */
MB_MUST_CHECK enum mb_status ins_run_init(struct ins_run *run, const struct ins_options *options,
                                          struct ins_counts *counts, struct mb_error *err);
void ins_run_finish(struct ins_run *run);

#endif
