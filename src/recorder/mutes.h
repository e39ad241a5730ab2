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
    struct beat_throttle throttle;
    const uint8_t *never; /* [id]: not 0: not to be muted; NULL: none such */
};

/* Start the table of a new session with the methods that earlier sessions muted. */
void beat_mutes_keep(struct abi_trace_section *section, struct abi_profile_mute *rows);

/* Mark these methods as muted in the tree, which then expects no exits of them. */
void beat_mutes_take_over(const struct beat_judge *judge, struct prof_tree *tree);

/* Mute those of the tree's suspects whose calls cost less than their probes. */
void beat_mutes_judge(const struct beat_judge *judge, struct prof_tree *tree);

#endif
