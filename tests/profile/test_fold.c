#include "recorder/profile/tree.h"

#include "sections.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct sections s;

static void init(void)
{
    sections_init(&s, 1024);
}

static void finish(void)
{
    sections_finish(&s);
}

TestSuite(fold, .init = init, .fini = finish);

static void expect(uint64_t first, uint64_t second)
{
    cr_expect(eq(u64, s.nodes[0].child_total, first));
    cr_expect(eq(u64, s.nodes[1].child_total, second));
}

Test(fold, time_goes_from_the_caller_to_the_node)
{
    prof_settle(&s.tree, 100);
    prof_fold_begin(&s.tree, 1, 0, 110);
    expect(0, 0); /* whoever reads it meanwhile finds it whole */
    prof_settle(&s.tree, 130);
    expect((uint64_t)-20, 20);
    prof_fold_end(&s.tree, 1, 0, 140);
    prof_settle(&s.tree, 200);
    prof_settle(&s.tree, 300);
    expect((uint64_t)-30, 30);
}

Test(fold, an_end_may_be_told_after_it_was_settled)
{
    prof_fold_begin(&s.tree, 1, 0, 10);
    prof_settle(&s.tree, 50);
    prof_fold_end(&s.tree, 1, 0, 30);
    prof_settle(&s.tree, 60);
    expect((uint64_t)-20, 20);
}

Test(fold, a_node_within_itself_has_its_time_already)
{
    prof_fold_begin(&s.tree, 0, 0, 10);
    prof_settle(&s.tree, 50);
    expect(0, 0);
    cr_expect(eq(u32, s.tree.first_fold, UINT32_MAX));
}

Test(fold, what_cancels_out_is_settled_no_more)
{
    for (uint64_t time = 0; time < 100; time += 2) {
        prof_fold_begin(&s.tree, 1, 0, time);
        prof_fold_begin(&s.tree, 0, 1, time + 1);
    }
    prof_settle(&s.tree, 100);
    expect((uint64_t)-50, 50);
    cr_expect(eq(u32, s.tree.first_fold, UINT32_MAX));
}
