/* Mutes methods that are not worth their probes, and records that in the trace. */

#ifndef RECORDER_MUTES_H
#define RECORDER_MUTES_H

#include "recorder/profile/profile.h"
#include "recorder/throttle.h"

/* What a judge works with. */
struct beat_judge {
    struct abi_trace_section *section; /* PROFILE_MUTES, and its records */
    struct abi_profile_mute *rows;
    uint32_t room; /* records that have memory */
    const struct abi_trace_header *header;
    bool is_on;              /* else no method is muted */
    uint32_t budget_percent; /* of the process's CPU time, for all probes together; 0: any */
    uint64_t words;          /* of the tree, when the budget was last looked at, */
    int64_t cpu_ns;          /* and the process's CPU time */
    int64_t begin_cpu_ns;    /* the process's CPU time when the session began */
    double more_ns;          /* own time that a call has to tell in addition, to keep the budget */
    bool is_first;           /* the program has run for a moment only: nothing is muted yet */
    bool wants_evidence;     /* a suspect has too few calls with exact times */
};

/* Start the table of a new session with the methods that earlier sessions muted. */
void beat_mutes_keep(struct abi_trace_section *section, struct abi_profile_mute *rows);

/* Mark these methods as muted in the tree, which then expects no exits of them. */
void beat_mutes_take_over(const struct beat_judge *judge, struct prof_tree *tree);

/* Mute those of the tree's suspects whose calls tell less than their probes cost: which is more
 * while all that is recorded takes more of the process's CPU time than the budget. None is muted
 * before the program has run long enough to gain from it. */
void beat_mutes_judge(struct beat_judge *judge, struct prof_tree *tree);

#endif
