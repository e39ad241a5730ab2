#include "sampler/tree.h"

#include "recorder/drain.h"
#include "recorder/memory.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdalign.h>

#define ROOM 8u

static alignas(8) uint8_t records[ROOM * sizeof(struct abi_stack_node)];
static struct abi_trace_section section = {.record_size = sizeof(struct abi_stack_node),
                                           .capacity = ROOM};
static struct beat_memory memory = {.fd = -1};
static struct samp_tables tables = {.memory = &memory,
                                    .nodes = {.section = &section, .records = records}};
static struct samp_tree tree;
static bool is_full;

TestSuite(tree, .init = beat_drain_lock, .fini = beat_drain_unlock);

/* Innermost first. */
static uint32_t find(uint32_t thread, const struct samp_place *places, size_t count, bool is_cut)
{
    const struct samp_stack stack = {thread, places, count, is_cut};

    return samp_tree_find(&tree, &tables, &stack, &is_full);
}

Test(tree, has_a_node_for_each_way_to_a_method)
{
    const struct samp_place one[] = {{.id = 3, .bci = 9}, {.id = 2, .bci = 5}, {.id = 1, .bci = 4}};
    const struct samp_place same[] = {
        {.id = 3, .bci = 7}, {.id = 2, .bci = 5}, {.id = 1, .bci = 4}};
    const struct samp_place elsewhere[] = {
        {.id = 3, .bci = 9}, {.id = 2, .bci = 6, .line = 106}, {.id = 1, .bci = 4}};
    uint32_t node = find(0, one, 3, false);

    cr_assert(eq(u32, node, 2));
    cr_assert(eq(u32, find(0, same, 3, false), node), "where in the innermost is the sample's");
    cr_assert(eq(u32, find(0, elsewhere, 3, false), 3), "another call of it");
    cr_assert(eq(u32, samp_tree_at(&tables, 3)->parent, 1));
    cr_assert(eq(u32, samp_tree_at(&tables, 3)->bci, 6));
    cr_assert(eq(u32, samp_tree_at(&tables, 3)->line, 106), "of the call, in the caller");
    cr_assert(eq(u32, samp_tree_at(&tables, 0)->parent, ABI_STACK_NO_NODE));
    cr_assert(eq(u32, samp_tree_at(&tables, 0)->bci, ABI_STACK_NO_BCI));
    cr_assert(eq(u32, samp_tree_at(&tables, 0)->line, ABI_STACK_NO_LINE));
    cr_assert(eq(u32, find(1, one, 1, false), 4), "another thread");
    cr_assert(eq(u32, find(0, one, 1, true), 5), "frames are missing");
    cr_assert(eq(u32, samp_tree_at(&tables, 5)->flags, ABI_STACK_CUT));
    samp_tree_finish(&tree);
}

Test(tree, tells_calls_without_bci_apart_by_line)
{
    const struct samp_place one[] = {{.id = 2, .bci = ABI_STACK_NO_BCI},
                                     {.id = 1, .bci = ABI_STACK_NO_BCI}};
    const struct samp_place other[] = {{.id = 2, .bci = ABI_STACK_NO_BCI},
                                       {.id = 1, .bci = ABI_STACK_NO_BCI, .line = 1}};
    uint32_t node;

    section.written = 0;
    node = find(0, one, 2, false);
    cr_assert(eq(u32, find(0, one, 2, false), node));
    cr_assert(ne(u32, find(0, other, 2, false), node));
    samp_tree_finish(&tree);
    cr_assert(eq(u32, find(0, one, 2, false), node), "nodes that are there are found again");
    samp_tree_finish(&tree);
}

Test(tree, gives_what_has_no_room_to_the_nearest_caller)
{
    struct samp_place deep[ROOM + 2];
    const struct samp_place other = {.id = 99};

    for (uint32_t i = 0; i < ROOM + 2; i++) {
        deep[i] = (struct samp_place){.id = i + 1, .bci = 1};
    }
    cr_assert(eq(u32, find(0, deep, ROOM + 2, false), ROOM - 1));
    cr_assert(is_full);
    cr_assert(eq(u64, section.lost, 1));
    cr_assert(eq(u32, find(0, deep + 2, ROOM, false), ROOM - 1));
    cr_assert(not(is_full));
    cr_assert(eq(u32, find(0, &other, 1, false), ABI_STACK_NO_NODE));
    cr_assert(is_full);
    samp_tree_finish(&tree);
}
