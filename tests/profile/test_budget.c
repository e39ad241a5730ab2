#include "profile/profile.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct abi_trace_section section = {.capacity = 8};
static struct abi_profile_node nodes[8];
static struct prof_tree tree;

static void init(void)
{
    cr_assert(prof_tree_init(&tree, &section, nodes));
}

static void finish(void)
{
    prof_tree_finish(&tree);
}

TestSuite(budget, .init = init, .fini = finish);

/* As the throttle does: what is checked now is not new the next time. */
static void note(uint32_t id, uint64_t calls, uint64_t own)
{
    struct prof_method *method = &tree.methods[id];

    method->calls += calls;
    method->own += calls * own;
    prof_note_busy(&tree, id);
    method->checked_calls = method->calls;
    method->checked_own = method->own;
}

Test(budget, sums_up_what_a_method_did_since_it_was_looked_at)
{
    note(3, 1024, 10);
    note(3, 1024, 20);
    cr_assert(eq(u32, tree.busy_count, 1));
    cr_assert(eq(u64, tree.busy[0].calls, 2048));
    cr_assert(eq(u64, tree.busy[0].own, UINT64_C(1024) * 30));
    prof_clear_busy(&tree);
    note(3, 1024, 40);
    cr_assert(eq(u64, tree.busy[0].calls, 1024));
}

Test(budget, ranks_by_own_time_of_a_call)
{
    note(1, 5000, 300);
    note(2, 1024, 100);
    note(3, 90000, 200);
    note(4, 1024, 100);
    prof_rank_busy(&tree);
    cr_expect(eq(u32, tree.busy[0].id, 2));
    cr_expect(eq(u32, tree.busy[1].id, 4));
    cr_expect(eq(u32, tree.busy[2].id, 3));
    cr_expect(eq(u32, tree.busy[3].id, 1));
    note(1, 1000, 300);
    cr_expect(eq(u64, tree.busy[3].calls, 6000), "found after the ranking too");
}

Test(budget, remembers_a_catch)
{
    tree.methods[7].has_caught = true;
    note(7, 1024, 1);
    tree.methods[7].has_caught = false;
    note(7, 1024, 1);
    cr_assert(tree.busy[0].has_caught);
}

Test(budget, has_room_for_so_many_methods)
{
    for (uint32_t id = 1; id <= PROF_MAX_BUSY + 5; id++) {
        note(id, 1024, id);
    }
    cr_assert(eq(u32, tree.busy_count, PROF_MAX_BUSY));
    note(PROF_MAX_BUSY + 5, 1024, 1);
    prof_clear_busy(&tree);
    note(PROF_MAX_BUSY + 5, 1024, 1);
    cr_assert(eq(u32, tree.busy_count, 1));
}
