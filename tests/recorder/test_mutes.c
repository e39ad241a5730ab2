#include "recorder/clock.h"
#include "recorder/mutes.h"

#include "abi/names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define NODES 8u
#define ROWS 4u
#define OWN_NS 300u      /* the throttle takes less, of 1,001 calls */
#define TELLING_NS 2500u /* more than it takes of 999,999 */

/* Where a unit of time is a nanosecond, and the probes of a call take none. */
static struct abi_trace_header header = {.clock_kind = ABI_CLOCK_COARSE};
static struct abi_trace_section node_section = {.capacity = NODES};
static struct abi_profile_node nodes[NODES];
static struct abi_trace_section section;
static struct abi_profile_mute rows[ROWS];
static uint8_t never[ABI_ID_MASK + 1];
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
    called(1, 1001, OWN_NS - 1);
    called(2, 1000, OWN_NS - 1);
    called(3, 1001, OWN_NS);
    judge_all();
    cr_assert(eq(u64, section.written, 1));
    cr_assert(eq(u32, rows[0].id, 1));
    cr_assert(eq(u32, rows[0].reason, ABI_MUTED_BY_THROTTLE));
    cr_assert(eq(u64, rows[0].calls, 1001));
    cr_assert(eq(u64, rows[0].total, UINT64_C(1001) * (OWN_NS - 1)));
    cr_assert(eq(u64, tree.methods[1].muted_since, rows[0].time + 1));
    cr_assert(eq(int, beat_muted[1], 1));
    cr_assert(eq(int, beat_muted[2] + beat_muted[3], 0));
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

Test(mutes, are_neither_messages_nor_what_is_never_to_be)
{
    judge.never = never;
    never[2] = 1;
    called(ABI_MESSAGE_ID, 2000, 1);
    called(2, 2000, 1);
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

/* Each call has two words. */
static void recorded(uint32_t id, uint64_t calls, uint64_t own)
{
    tree.words += 2 * calls;
    called(id, calls, own);
    judge_all();
}

static void expect_muted(const uint32_t *ids, size_t count)
{
    cr_assert(eq(u64, section.written, count));
    for (size_t i = 0; i < count; i++) {
        cr_expect(eq(u32, rows[i].id, ids[i]));
        cr_expect(eq(u32, rows[i].reason, ABI_MUTED_BY_BUDGET));
    }
}

static void set_budget(void)
{
    judge.budget_percent = 5;
    judge.budget_words = 0;
    judge.budget_cpu_ns = 0;
}

Test(mutes, keep_the_budget)
{
    static const uint32_t least_telling[] = {2, 1};

    set_budget();
    recorded(1, 300000, TELLING_NS + 20);
    recorded(2, 200000, TELLING_NS + 10);
    recorded(3, 400000, TELLING_NS + 30);
    cr_assert(beat_mutes_ask_budget(&judge, &tree));
    beat_mutes_keep_budget(&judge, &tree, SECOND_NS);
    expect_muted(least_telling, 2);
    cr_assert(not(beat_mutes_ask_budget(&judge, &tree)));
    recorded(3, 400000, TELLING_NS + 30);
    beat_mutes_keep_budget(&judge, &tree, 2 * SECOND_NS);
    expect_muted(least_telling, 2);
}

/* While nothing is compiled a record takes 1000 ns: 50 ms are 24,390 calls. */
Test(mutes, reckon_with_what_a_record_costs)
{
    set_budget();
    header.slow_record_ns = 1000;
    recorded(1, 60000, TELLING_NS + 1);
    beat_mutes_keep_budget(&judge, &tree, SECOND_NS);
    cr_expect(eq(u64, section.written, 1));
    header.quick_words = 120000;
    recorded(2, 60000, TELLING_NS + 1);
    beat_mutes_keep_budget(&judge, &tree, 2 * SECOND_NS);
    cr_expect(eq(u64, section.written, 1), "compiled by now");
}

/* What a limit has muted in the meantime costs nothing from then on. */
Test(mutes, of_the_throttle_count_for_the_budget)
{
    set_budget();
    recorded(1, 900000, OWN_NS - 1);
    recorded(2, 400000, TELLING_NS + 1);
    beat_mutes_keep_budget(&judge, &tree, SECOND_NS);
    cr_assert(eq(u64, section.written, 1));
    cr_assert(eq(u32, rows[0].id, 1));
}

Test(mutes, wait_for_enough_to_judge_the_budget_by)
{
    set_budget();
    recorded(1, 49999, TELLING_NS);
    cr_assert(not(beat_mutes_ask_budget(&judge, &tree)));
    recorded(1, 900000, TELLING_NS);
    cr_assert(beat_mutes_ask_budget(&judge, &tree));
    beat_mutes_keep_budget(&judge, &tree, SECOND_NS / 10);
    cr_assert(eq(u64, section.written, 0));
    beat_mutes_keep_budget(&judge, &tree, SECOND_NS);
    cr_assert(eq(u64, section.written, 1));
}

Test(mutes, spare_for_the_budget_what_has_caught_or_is_never_to_be)
{
    set_budget();
    judge.never = never;
    never[1] = 1;
    recorded(1, 900000, TELLING_NS);
    tree.methods[2].has_caught = true;
    recorded(2, 900000, TELLING_NS);
    recorded(3, 900000, TELLING_NS);
    beat_mutes_keep_budget(&judge, &tree, SECOND_NS);
    cr_assert(eq(u64, section.written, 1));
    cr_assert(eq(u32, rows[0].id, 3));
}

Test(mutes, need_a_throttle_for_a_budget)
{
    set_budget();
    tree.words = 10000000;
    judge.is_on = false;
    cr_assert(not(beat_mutes_ask_budget(&judge, &tree)));
    judge.is_on = true;
    judge.budget_percent = 0;
    cr_assert(not(beat_mutes_ask_budget(&judge, &tree)));
}
