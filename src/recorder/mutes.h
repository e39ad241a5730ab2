/* Mutes methods that are not worth their probes, and records that in the trace. */

#ifndef RECORDER_MUTES_H
#define RECORDER_MUTES_H

#include "profile/profile.h"
#include "recorder/throttle.h"

/* What a judge works with. */
struct beat_judge {
    struct abi_trace_section *section; /* PROFILE_MUTES, and its records */
    struct abi_profile_mute *rows;
    uint32_t room; /* records for which there is memory behind */
    const struct abi_trace_header *header;
    bool is_on;              /* else no method is muted */
    const uint8_t *never;    /* [id]: not 0: not to be muted; NULL: none such */
    uint32_t budget_percent; /* of the process's CPU time, for all probes together; 0: any */
    uint64_t budget_words;   /* of the tree, when the budget was last looked at, */
    int64_t budget_cpu_ns;   /* and the CPU time */
};

/* Start the table of a new session with the methods that earlier sessions muted. */
void beat_mutes_keep(struct abi_trace_section *section, struct abi_profile_mute *rows);

/* Mark these methods as muted in the tree, which then expects no exits of them. */
void beat_mutes_take_over(const struct beat_judge *judge, struct prof_tree *tree);

/* Mute those of the tree's suspects whose calls cost less than their probes. */
void beat_mutes_judge(const struct beat_judge *judge, struct prof_tree *tree);

/* If what was recorded since the last time took more of the process's CPU time than the budget,
 * which is cpu_ns by now, mute those busy methods that tell least, until the rest is within it.
 * Waits until there is enough to judge by. */
void beat_mutes_keep_budget(struct beat_judge *judge, struct prof_tree *tree, int64_t cpu_ns);

/* True if so much was recorded since the last time that the CPU time is worth reading. */
bool beat_mutes_ask_budget(const struct beat_judge *judge, const struct prof_tree *tree);

#endif
