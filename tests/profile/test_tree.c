#include "sections.h"

#include "recorder/profile/tree.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct sections s;

Test(tree, finds_every_child_again)
{
    static uint32_t nodes[9000]; /* for which the table grows twice */

    sections_init(&s, 10000);
    for (uint32_t i = 0; i < 9000; i++) {
        nodes[i] = prof_child(&s.tree, i % 3, i < 30 ? ABI_PROFILE_NO_NODE : nodes[i / 30], 1 + i);
        cr_assert(eq(u32, nodes[i], i));
    }
    for (uint32_t i = 0; i < 9000; i++) {
        uint32_t parent = i < 30 ? ABI_PROFILE_NO_NODE : nodes[i / 30];
        cr_assert(eq(u32, prof_child(&s.tree, i % 3, parent, 1 + i), i));
    }
    cr_expect(eq(u64, s.section.written, 9000));
    sections_finish(&s);
}

Test(tree, keeps_room_for_outermost_calls)
{
    sections_init(&s, 640);
    uint32_t first = prof_child(&s.tree, 0, ABI_PROFILE_NO_NODE, 1);
    for (uint32_t i = 0; i < 700; i++) {
        (void)prof_child(&s.tree, 0, first, 2 + i);
    }
    cr_expect(eq(u64, s.section.written, 630));
    cr_expect(eq(u32, prof_child(&s.tree, 0, ABI_PROFILE_NO_NODE, 2), 630));
    sections_finish(&s);
}

Test(tree, takes_no_node_without_memory_behind)
{
    sections_init(&s, 640);
    s.tree.capacity = 1;
    cr_expect(eq(u32, prof_child(&s.tree, 0, ABI_PROFILE_NO_NODE, 1), 0));
    cr_expect(eq(u32, prof_child(&s.tree, 0, ABI_PROFILE_NO_NODE, 2), ABI_PROFILE_NO_NODE));
    s.tree.capacity = 2;
    cr_expect(eq(u32, prof_child(&s.tree, 0, ABI_PROFILE_NO_NODE, 2), 1));
    sections_finish(&s);
}

Test(tree, remembers_what_came_next_last_time)
{
    sections_init(&s, 1000);
    uint32_t caller = prof_child(&s.tree, 0, ABI_PROFILE_NO_NODE, 1);
    uint32_t called = prof_child(&s.tree, 0, caller, 2);
    uint32_t place = prof_inside(caller);
    cr_expect(eq(u32, prof_follow(&s.tree, place, 0, caller, 2), ABI_PROFILE_NO_NODE));
    prof_lead(&s.tree, place, called);
    cr_expect(eq(u32, prof_follow(&s.tree, place, 0, caller, 2), called));
    cr_expect(eq(u32, prof_follow(&s.tree, place, 0, caller, 3), ABI_PROFILE_NO_NODE));
    cr_expect(eq(u32, prof_follow(&s.tree, place, 1, caller, 2), ABI_PROFILE_NO_NODE));
    cr_expect(eq(u32, prof_follow(&s.tree, place, 0, called, 2), ABI_PROFILE_NO_NODE));
    uint32_t behind = prof_behind(caller);
    cr_expect(eq(u32, prof_follow(&s.tree, behind, 0, caller, 2), ABI_PROFILE_NO_NODE));
    cr_expect(lt(u32, prof_behind(999), PROF_PLACES(1000)));
    cr_expect(lt(u32, prof_behind(ABI_PROFILE_NO_NODE), prof_inside(0)), "nowhere is a place too");
    sections_finish(&s);
}

/* ---- Folded calls ---- */

static struct sections s_fold;

static void init(void)
{
    sections_init(&s_fold, 1024);
}

static void finish(void)
{
    sections_finish(&s_fold);
}

TestSuite(fold, .init = init, .fini = finish);

static void expect(uint64_t first, uint64_t second)
{
    cr_expect(eq(u64, s_fold.nodes[0].child_total, first));
    cr_expect(eq(u64, s_fold.nodes[1].child_total, second));
}

Test(fold, time_goes_from_the_caller_to_the_node)
{
    prof_settle(&s_fold.tree, 100);
    prof_fold_begin(&s_fold.tree, 1, 0, 110);
    expect(0, 0); /* whoever reads it meanwhile finds it whole */
    prof_settle(&s_fold.tree, 130);
    expect((uint64_t)-20, 20);
    prof_fold_end(&s_fold.tree, 1, 0, 140);
    prof_settle(&s_fold.tree, 200);
    prof_settle(&s_fold.tree, 300);
    expect((uint64_t)-30, 30);
}

Test(fold, an_end_may_be_told_after_it_was_settled)
{
    prof_fold_begin(&s_fold.tree, 1, 0, 10);
    prof_settle(&s_fold.tree, 50);
    prof_fold_end(&s_fold.tree, 1, 0, 30);
    prof_settle(&s_fold.tree, 60);
    expect((uint64_t)-20, 20);
}

Test(fold, a_node_within_itself_has_its_time_already)
{
    prof_fold_begin(&s_fold.tree, 0, 0, 10);
    prof_settle(&s_fold.tree, 50);
    expect(0, 0);
    cr_expect(eq(u32, s_fold.tree.first_fold, UINT32_MAX));
}

Test(fold, what_cancels_out_is_settled_no_more)
{
    for (uint64_t time = 0; time < 100; time += 2) {
        prof_fold_begin(&s_fold.tree, 1, 0, time);
        prof_fold_begin(&s_fold.tree, 0, 1, time + 1);
    }
    prof_settle(&s_fold.tree, 100);
    expect((uint64_t)-50, 50);
    cr_expect(eq(u32, s_fold.tree.first_fold, UINT32_MAX));
}
