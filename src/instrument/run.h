/* One run of the instrumenter: what its steps share. Inside this folder only. */

#ifndef INSTRUMENT_RUN_H
#define INSTRUMENT_RUN_H

#include "base/publish.h"
#include "instrument/findings.h"
#include "instrument/hold.h"
#include "instrument/instrument.h"
#include "instrument/number.h"
#include "instrument/source.h"
#include "instrument/state.h"
#include "instrument/warnings.h"
#include "instrument/workers.h"

/* What a thread needs to work on classes, one after another. */
struct ins_scratch {
    struct ar_codec *codec;
    struct ins_rewriter *rewriter;
    struct mb_buf content; /* the class as it came, where it was packed */
    struct mb_buf rewritten;
    struct mb_buf text;    /* part of a mapping file */
    struct mb_arena arena; /* of the class at hand */
    struct mb_arena keep;  /* of the run */
};

struct ins_member;

struct ins_run {
    const struct ins_options *options;
    struct ins_counts *counts;
    struct ins_beat beat;
    struct ins_workers *workers;
    struct ins_scratch *scratch; /* one per worker */
    struct mb_publish *publish;

    struct ins_names *names;
    struct ins_sources sources;
    struct ins_warnings warnings;
    struct ins_findings findings;
    struct ins_hold hold;
    struct rule_set *rules;
    struct rule_names *mapping; /* NULL without one */
    struct ins_describer describer;
    struct abi_methodmap base; /* ids that stay */
    bool has_base;
    struct ins_class **classes; /* readable ones that go to outputs, in canonical order */
    size_t class_count;
    const struct ins_member *members; /* of the merged jar, if one is asked for */
    size_t member_count;
    struct ins_numbering numbering;
    const char **output_paths; /* by source; NULL for jars inside AARs, and if merged */
    struct mb_arena arena;

    struct ins_state state; /* of the last run; zeroed without one */
    uint64_t fingerprint;
    bool is_resumed;                /* only what is not known from the last run is looked at */
    struct ins_class **new_classes; /* of a resumed run: those that are not known */
    size_t new_class_count;
    struct mb_buf known_lines; /* text that base views */
    bool are_maps_in_place;
};

/* Zeroed memory, then init; finish also after a failure. Starts nothing, reads the texts that the
 * options name. */
MB_MUST_CHECK enum mb_status ins_run_init(struct ins_run *run, const struct ins_options *options,
                                          struct ins_counts *counts, struct mb_error *err);
void ins_run_finish(struct ins_run *run);

/* Make the worker's scratch, at its first task. */
MB_MUST_CHECK enum mb_status ins_scratch_prepare(struct ins_run *run, unsigned worker,
                                                 struct mb_error *err);

/* MB_INTERRUPTED once a signal asked us to stop. */
MB_MUST_CHECK enum mb_status ins_check_interrupt(struct mb_error *err);

/* Tell the user what is wrong with a class, which goes out all the same. reason, to which the place is
 * added, may be err. */
MB_MUST_CHECK enum mb_status ins_warn_class(struct ins_run *run, const struct ins_class *cls,
                                            const struct mb_error *reason, struct mb_error *err);

/* On worker 0 only. */
void ins_tell_progress(const struct ins_run *run, size_t done, size_t total);

/* Take over from the last run what is still true; then, if the run is resumed, the steps between
 * the passes for what is new. See resume.c. */
MB_MUST_CHECK enum mb_status ins_resume(struct ins_run *run, struct mb_error *err);
MB_MUST_CHECK enum mb_status ins_gather_again(struct ins_run *run, struct mb_error *err);
MB_MUST_CHECK enum mb_status ins_find_activities_again(struct ins_run *run, struct mb_error *err);
MB_MUST_CHECK enum mb_status ins_number_again(struct ins_run *run, struct mb_error *err);

/* As far as is known yet: no line of the mapping files differs from what is there. */
bool ins_are_maps_in_place(const struct ins_run *run);

/* Pass 1: read every class, decide on its methods, keep what model.h says. */
MB_MUST_CHECK enum mb_status ins_collect(struct ins_run *run, struct mb_error *err);

/* Which classes are Activities, and what is to be done about it. */
MB_MUST_CHECK enum mb_status ins_find_activities(struct ins_run *run, struct mb_error *err);

/* Pass 2: rewrite what was decided, write the outputs and the mapping files. */
MB_MUST_CHECK enum mb_status ins_write_outputs(struct ins_run *run, struct mb_error *err);

/* Blacklist rules that matched nothing; entries that a later one of the same name replaced. */
MB_MUST_CHECK enum mb_status ins_warn_unused_rules(struct ins_run *run, struct mb_error *err);
MB_MUST_CHECK enum mb_status ins_warn_duplicates(struct ins_run *run, struct mb_error *err);

/* What the last run had to say about inputs that have not changed. */
MB_MUST_CHECK enum mb_status ins_warn_again(struct ins_run *run, struct mb_error *err);

/* Fill in the counts, and write them with the warnings where --json says. */
void ins_count(struct ins_run *run);
MB_MUST_CHECK enum mb_status ins_write_json(struct ins_run *run, struct mb_error *err);

#endif
