/* The profile of a whole run, as a trace's sections have it. What of them is damaged is left out,
 * and said. */

#ifndef ANSWER_SECTIONS_H
#define ANSWER_SECTIONS_H

#include "answer/input.h"
#include "trace/trees.h"

/* Zeroed memory has nothing. All borrowed but the trees. */
struct answer_sections {
    bool are_there;
    bool is_damaged; /* a section makes no sense */
    struct trace_tree_source source;
    struct trace_trees trees;
    struct mb_buf copies[7]; /* of rows that are shorter or longer in the file than here */
    const struct abi_profile_mute *mutes;
    size_t mute_count;
    const uint64_t *lengths;
    size_t length_count;
    const struct abi_profile_node *slow_nodes; /* of slow requests alone */
    size_t slow_node_count;
    const struct abi_profile_slow *slow;
    size_t slow_count;
    const struct abi_profile_pause *pauses;
    size_t pause_count;
    uint64_t lost_threads;   /* records that there was no room for */
    uint64_t absorbed_calls; /* that have no node, for the same reason */
    uint64_t lost_mutes;
    uint64_t lost_slow; /* slow requests: their records were overwritten too soon, or no room */
    uint64_t lost_slow_calls;
    uint64_t lost_lengths; /* of calls */
    uint64_t missing;      /* records that the file is too short for, or that make no sense */
};

/* Threads, nodes and mutes: none if the trace has no profile. Fails without memory only. */
MB_MUST_CHECK enum mb_status answer_sections_find(struct answer_sections *sections,
                                                  const struct answer_trace *trace,
                                                  struct mb_error *err);

/* The trees, of open calls that last until end. Fails without memory only. */
MB_MUST_CHECK enum mb_status answer_sections_make_trees(struct answer_sections *sections,
                                                        uint64_t end, struct mb_error *err);
void answer_sections_finish(struct answer_sections *sections);

#endif
