#include "sections.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

void sections_init(struct sections *sections, uint32_t node_capacity)
{
    memset(sections, 0, sizeof(*sections));
    sections->section.capacity = node_capacity;
    sections->nodes = calloc(node_capacity, sizeof(*sections->nodes));
    cr_assert(sections->nodes != NULL);
    cr_assert(prof_tree_init(&sections->tree, &sections->section, sections->nodes));
    sections->tree.capacity = node_capacity;
    for (uint32_t i = 0; i < SECTIONS_ROWS; i++) {
        cr_assert(prof_lane_init(&sections->lanes[i], &sections->rows[i], i));
    }
}

void sections_finish(struct sections *sections)
{
    for (uint32_t i = 0; i < SECTIONS_ROWS; i++) {
        prof_lane_finish(&sections->lanes[i]);
    }
    prof_tree_finish(&sections->tree);
    free(sections->nodes);
}

static uint32_t find_child(const struct sections *sections, uint32_t row, uint32_t parent,
                           uint32_t id)
{
    for (uint32_t i = 0; i < sections->section.written; i++) {
        const struct abi_profile_node *node = &sections->nodes[i];
        if (node->thread == row && node->parent == parent && node->id == id) {
            return i;
        }
    }
    return ABI_PROFILE_NO_NODE;
}

const struct abi_profile_node *sections_find(const struct sections *sections, uint32_t row,
                                             const uint32_t *chain)
{
    uint32_t node = ABI_PROFILE_NO_NODE;

    for (; *chain != 0; chain++) {
        node = find_child(sections, row, node, *chain);
        if (node == ABI_PROFILE_NO_NODE) {
            return NULL;
        }
    }
    return &sections->nodes[node];
}
