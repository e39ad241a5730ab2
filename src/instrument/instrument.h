/* The instrumenter as a whole: the options of a run, and its results. */

#ifndef INSTRUMENT_INSTRUMENT_H
#define INSTRUMENT_INSTRUMENT_H

#include "archive/codec.h"
#include "base/text.h"
#include "instrument/weave/rewrite.h"
#include "rules/rule.h"

#include <stdbool.h>
#include <stdint.h>

/* A list of paths or names; borrowed. */
struct ins_list {
    const char **items;
    size_t count;
};

/* A build may do a run in three steps, and keep what each writes. */
enum ins_step {
    INS_ALL,     /* or the last one, with ids */
    INS_COLLECT, /* to method_map what the second needs of the inputs (instrument/plan/names.h) */
    INS_NUMBER,  /* to method_map the ids of all inputs, which are such files, and to slices a file
                  * of the name of each with what the last needs (instrument/plan/ids.h) */
};

struct ins_options {
    enum ins_step step;
    struct ins_list inputs;
    const char *output_dir; /* exactly one of these two */
    const char *output_jar;

    const char *method_map; /* where the mapping files go; NULL: not written */
    const char *ignore_map;
    const char *explain;  /* one JSON object per method */
    const char *json;     /* counts and warnings */
    const char *base_map; /* NULL: number from 1 */
    const char *state;    /* NULL: no incremental builds */
    const char *ids;      /* a slice: all decisions that depend on other inputs; or NULL */
    const char *ledger;   /* of INS_NUMBER: ids that stay; or NULL */
    const char *slices;   /* a folder */

    enum rule_profile profile;
    struct ins_list blacklists;
    bool no_default_blacklist;
    const char *mapping; /* of ProGuard or R8; NULL: names are original ones */
    struct ins_list classpath;
    struct ins_list activities; /* more roots, in internal form */

    const char *beat_class; /* internal form */
    enum weave_exceptions exceptions;
    bool grows_huge; /* methods past the size that HotSpot compiles */
    enum ar_compression compression;
    bool keep_resources; /* in a merged jar */
    bool strict;         /* warnings fail the run */
    unsigned jobs;

    /* Called on the caller's thread, done rising to total. May be NULL. */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    /* Called once a warning, in an order that depends on the inputs only. */
    void (*warn)(void *context, const struct mb_error *warning);
    void *context;
};

/* The figures of --json. */
struct ins_counts {
    uint64_t inputs;
    uint64_t entries;
    uint64_t classes;
    uint64_t changed_classes;
    uint64_t unreadable_classes;   /* copied unchanged, with a warning */
    uint64_t instrumented_classes; /* came with probes and were left alone */
    uint64_t traced_methods;
    uint64_t ignored_methods;
    uint64_t skipped_methods;  /* of the ignored ones: a limit was met while probes were put in */
    uint64_t huge_methods;     /* of these: HotSpot would never have compiled them again */
    uint64_t activities;       /* classes that report window focus */
    uint64_t renamed_outputs;  /* numbered, since inputs have equal names */
    uint64_t unsigned_jars;    /* were signed, and their output is not (instrument/plan/ties.c) */
    uint64_t unhashed_modules; /* lost their hashes of others */
    uint64_t warnings;
    uint64_t mapping_hash; /* of the method map (abi/hash.h); 0 if absent */
};

/* Do it all, or the step. On failure no output has been replaced and no temporary file is left. */
MB_MUST_CHECK enum mb_status ins_instrument(const struct ins_options *options,
                                            struct ins_counts *counts, struct mb_error *err);

#endif
