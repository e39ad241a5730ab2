/* Judging the methods of a profile: which of them are muted, and that the trace says so. */

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

/* What fell silent in a session before is told of first in the table of a new one. */
void beat_mutes_keep(struct abi_trace_section *section, struct abi_profile_mute *rows);

/* And the tree of its profile awaits no exits of it. */
void beat_mutes_take_over(const struct beat_judge *judge, struct prof_tree *tree);

/* Mute those of the tree's suspects that their probes are not worth. */
void beat_mutes_judge(const struct beat_judge *judge, struct prof_tree *tree);

#endif
