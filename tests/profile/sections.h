/* Sections in memory of the test's own, for a tree and its threads. */

#ifndef TESTS_PROFILE_SECTIONS_H
#define TESTS_PROFILE_SECTIONS_H

#include "recorder/profile/profile.h"

#define SECTIONS_ROWS 4u

struct sections {
    struct abi_trace_section section;
    struct abi_profile_node *nodes;
    struct abi_profile_thread rows[SECTIONS_ROWS];
    struct prof_tree tree;
    struct prof_lane lanes[SECTIONS_ROWS];
};

void sections_init(struct sections *sections, uint32_t node_capacity);
void sections_finish(struct sections *sections);

/* The node behind a chain of ids that ends with 0; NULL if there is none. */
const struct abi_profile_node *sections_find(const struct sections *sections, uint32_t row,
                                             const uint32_t *chain);

#endif
