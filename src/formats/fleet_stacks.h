/* Limits a profile to its largest call chains, for servers that cap profile size. The time of the
 * others goes to their callers. */

#ifndef FORMATS_FLEET_STACKS_H
#define FORMATS_FLEET_STACKS_H

#include "answer/facts.h"
#include "base/vec.h"

#define FORMAT_NO_STACK INT64_MIN

/* Zeroed memory can be finished. */
struct format_stacks {
    MB_VEC(int64_t) own; /* in units: of each node, thread by thread, or FORMAT_NO_STACK */
    int64_t other;       /* of calls none of whose callers is kept */
    size_t left_out;     /* that would have a stack if there were no limit */
};

/* most: stacks, the one of others included; 0: all. Nodes from that depth on have none, and are in
 * the total of those above. False without memory. */
bool format_stacks_make(struct format_stacks *stacks, const struct answer_threads *threads,
                        size_t most, uint32_t depth);
void format_stacks_finish(struct format_stacks *stacks);

#endif
