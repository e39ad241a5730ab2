#include "recorder/clock.h"
#include "recorder/mutes.h"

#include "abi/names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define NODES 8u
#define ROWS 4u
#define OWN_NS 300u /* less is not worth the probes */

/* Where a unit of time is a nanosecond, and the probes of a call take none. */
static struct abi_trace_header header = {.clock_kind = ABI_CLOCK_COARSE};
static struct abi_trace_section node_section = {.capacity = NODES};
static struct abi_profile_node nodes[NODES];
static struct abi_trace_section section;
static struct abi_profile_mute rows[ROWS];
static struct prof_tree tree;
static struct beat_judge judge = {
    .section = &section,
    .rows = rows,
    .header = &header,
    .is_on = true,
};

static void init(void)
{
    header.ns_per_unit = abi_ns_per_unit(1, 1);
    header.monotonic_start_ns = beat_clock_monotonic_ns(); /* no method is much of so short a run */
    section = (struct abi_trace_section){.capacity = ROWS};
    judge.room = ROWS;
    cr_assert(prof_tree_init(&tree, &node_section, nodes));
}

static void finish(void)
{
    prof_tree_finish(&tree);
    beat_mutes_abandon();
}

TestSuite(mutes, .init = init, .fini = finish);

static void called(uint32_t id, uint64_t calls, uint64_t own)
{
    tree.methods[id].calls += calls;
    tree.methods[id].total += calls * own;
    tree.methods[id].own += calls * own;
    tree.suspects[tree.suspect_count++] = id;
}

static void judge_all(void)
{
    beat_mutes_judge(&judge, &tree);
    cr_assert(eq(u32, tree.suspect_count, 0));
}

Test(mutes, are_methods_called_often_and_briefly)
{
    called(1, 1024, OWN_NS - 1);
    called(2, 1024, OWN_NS);
    judge_all();
    cr_assert(eq(u64, section.written, 1));
    cr_assert(eq(u32, rows[0].id, 1));
    cr_assert(eq(u32, rows[0].reason, ABI_MUTED_BY_THROTTLE));
    cr_assert(eq(u64, rows[0].calls, 1024));
    cr_assert(eq(u64, rows[0].total, UINT64_C(1024) * (OWN_NS - 1)));
    cr_assert(eq(u64, tree.methods[1].muted_since, rows[0].time + 1));
    cr_assert(eq(int, beat_muted[1], 1));
    cr_assert(eq(int, beat_muted[2], 0));
}

Test(mutes, are_none_twice)
{
    called(1, 2000, 1);
    judge_all();
    called(1, 2000, 1);
    judge_all();
    cr_assert(eq(u64, section.written, 1));
}

/* A new session's table and tree. */
Test(mutes, are_kept_from_session_to_session)
{
    called(1, 2000, 1);
    called(2, 2000, 1);
    judge_all();
    prof_tree_finish(&tree);
    init();
    beat_mutes_keep(&section, rows);
    cr_assert(eq(u64, section.written, 2));
    cr_assert(eq(u32, rows[1].id, 2));
    cr_assert(eq(u32, rows[1].reason, ABI_MUTED_BEFORE));
    cr_assert(eq(u64, rows[1].calls + rows[1].time, 0));
    beat_mutes_take_over(&judge, &tree);
    cr_assert(ne(u64, tree.methods[1].muted_since, 0));
    called(1, 2000, 1);
    judge_all();
    cr_assert(eq(u64, section.written, 2), "not once more");
}

Test(mutes, are_no_messages)
{
    called(ABI_MESSAGE_ID, 2000, 1);
    called(3, 2000, 1);
    judge_all();
    cr_assert(eq(u64, section.written, 1));
    cr_assert(eq(u32, rows[0].id, 3));
}

Test(mutes, are_none_without_a_limit)
{
    judge.is_on = false;
    called(1, 1000000, 0);
    judge_all();
    cr_assert(eq(u64, section.written, 0));
}

Test(mutes, are_no_more_than_can_be_told_of)
{
    for (uint32_t id = 1; id <= ROWS + 2; id++) {
        called(id, 2000, 1);
    }
    judge_all();
    cr_assert(eq(u64, section.written, ROWS));
    cr_assert(eq(u64, section.lost, 2));
    cr_assert(eq(int, beat_muted[ROWS], 1));
    cr_assert(eq(int, beat_muted[ROWS + 1], 0));
    cr_assert(eq(u64, tree.methods[ROWS + 1].muted_since, 0));
}

Test(mutes, find_no_place_where_no_memory_is_behind)
{
    judge.room = 1;
    called(1, 2000, OWN_NS - 1);
    called(2, 2000, OWN_NS - 1);
    judge_all();
    cr_assert(eq(u64, section.written, 1));
    cr_assert(eq(u64, section.lost, 1));
    cr_assert(eq(u32, rows[1].id, 0));
}

/* ---- The budget: 5 % of a second are 50 ms, or 500,000 calls at 100 ns ---- */

#define SECOND_NS INT64_C(1000000000)

/* Each call has two words; all of them are judged after so much CPU time. */
static void recorded(uint32_t id, uint64_t calls, uint64_t own, int64_t cpu_ns)
{
    judge.budget_percent = 5;
    judge.cpu_ns = beat_clock_cpu_ns() - cpu_ns;
    tree.words += 2 * calls;
    called(id, calls, own);
    judge_all();
}

Test(mutes, keep_the_budget)
{
    called(1, 2000, OWN_NS + 100);
    recorded(2, 600000, OWN_NS + 200, SECOND_NS);
    cr_assert(eq(u64, section.written, 1), "first what tells least");
    cr_expect(eq(u32, rows[0].id, 1));
    recorded(2, 400000, OWN_NS + 200, SECOND_NS);
    recorded(2, 600000, OWN_NS + 200, SECOND_NS);
    cr_assert(eq(u64, section.written, 1), "what was within the budget in between");
    recorded(2, 600000, OWN_NS + 200, SECOND_NS);
    cr_assert(eq(u64, section.written, 2));
}

/* While nothing is compiled a record takes 1000 ns: 50 ms are 24,390 calls. */
Test(mutes, reckon_with_what_a_record_costs)
{
    header.slow_record_ns = 1000;
    recorded(1, 60000, OWN_NS + 1, SECOND_NS);
    cr_expect(eq(u64, section.written, 1));
    header.quick_words = 120000;
    recorded(2, 60000, OWN_NS + 1, SECOND_NS);
    cr_expect(eq(u64, section.written, 1), "compiled by now");
}

Test(mutes, wait_for_enough_to_judge_the_budget_by)
{
    recorded(1, 900000, OWN_NS + 1, SECOND_NS / 25);
    cr_assert(eq(u64, section.written, 0));
    recorded(1, 900000, OWN_NS + 1, SECOND_NS);
    cr_assert(eq(u64, section.written, 1));
}

Test(mutes, leave_long_calls_whatever_the_budget)
{
    for (int i = 0; i < 100; i++) {
        recorded(1, 900000, 200000, SECOND_NS);
    }
    cr_assert(eq(u64, section.written, 0));
}
