/* Upstream's tree, rule 6 of README.md. Items are placed newest first, relative to the
 * one before it, by father pointers that sometimes name no father. "The first along the fathers
 * that is not deeper" can lie far away in damaged traces; skips and jumps make the search
 * logarithmic where upstream walks. */

#include "upstream.h"

#include <stdlib.h>

/* Node 0 stands for "none" and is less deep than anything. */
#define NONE 0

struct node {
    int64_t depth;
    uint32_t father;
    uint32_t skip;  /* the first along the fathers that is less deep */
    uint32_t jump;  /* some skips at once, skew-binary (Myers 1983) */
    uint32_t level; /* number of skips to node 0 */
    uint32_t first_child;
    uint32_t next_sibling;
    const struct trace_item *item;
};

/* The first from start along the fathers that is at most so deep. */
static uint32_t find_shallow(const struct node *nodes, uint32_t start, int64_t depth)
{
    uint32_t at = start;

    while (nodes[at].depth > depth) {
        at = nodes[nodes[at].jump].depth > depth ? nodes[at].jump : nodes[at].skip;
    }
    return at;
}

static void set_father(struct node *nodes, uint32_t index, uint32_t father)
{
    struct node *node = &nodes[index];
    uint32_t skip = find_shallow(nodes, father, node->depth - 1);
    uint32_t jump = nodes[skip].jump;

    node->father = father;
    node->skip = skip;
    node->level = nodes[skip].level + 1;
    bool is_even =
        nodes[skip].level - nodes[jump].level == nodes[jump].level - nodes[nodes[jump].jump].level;
    node->jump = is_even ? nodes[jump].jump : skip;
}

/* Children and roots are put before those that are there. */
static void put_first(struct node *nodes, uint32_t parent, uint32_t index)
{
    nodes[index].next_sibling = nodes[parent].first_child;
    nodes[parent].first_child = index;
}

/* The roots are the children of node 0. */
static void place_item(struct node *nodes, uint32_t index)
{
    uint32_t last = index - 1;
    int64_t depth = nodes[index].depth;

    if (depth == 0) {
        set_father(nodes, index, last);
        put_first(nodes, NONE, index);
        return;
    }
    if (depth > nodes[last].depth) {
        set_father(nodes, index, last);
        put_first(nodes, last, index);
        return;
    }
    uint32_t found = find_shallow(nodes, last, depth);
    uint32_t father = nodes[found].father;
    if (found == NONE || father == NONE) {
        set_father(nodes, index, last); /* lost */
        return;
    }
    set_father(nodes, index, father);
    put_first(nodes, father, index);
}

/* A root's father pointer is not its parent. */
static uint32_t parent_of(const struct node *nodes, uint32_t index)
{
    return nodes[index].depth == 0 ? NONE : nodes[index].father;
}

static uint32_t next_in_preorder(const struct node *nodes, uint32_t at)
{
    if (nodes[at].first_child != NONE) {
        return nodes[at].first_child;
    }
    while (at != NONE && nodes[at].next_sibling == NONE) {
        at = parent_of(nodes, at);
    }
    return nodes[at].next_sibling;
}

size_t upstream_order(const struct trace_item *items, size_t count, struct trace_item *ordered)
{
    size_t kept = 0;

    if (count == 0 || items[count - 1].depth != 0) {
        return 0;
    }
    struct node *nodes = calloc(count + 1, sizeof(*nodes));
    if (nodes == NULL) {
        abort();
    }
    nodes[NONE] = (struct node){.depth = INT64_MIN};
    for (uint32_t i = 1; i <= count; i++) {
        const struct trace_item *item = &items[count - i];
        nodes[i] = (struct node){.depth = item->depth, .item = item};
        place_item(nodes, i);
    }
    for (uint32_t at = nodes[NONE].first_child; at != NONE; at = next_in_preorder(nodes, at)) {
        ordered[kept++] = *nodes[at].item;
    }
    free(nodes);
    return kept;
}
