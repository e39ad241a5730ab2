#include "abi/names.h"
#include "abi/record.h"
#include "sections.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOW 1000000u
#define CHAIN(...) ((const uint32_t[]){__VA_ARGS__, 0})

static struct sections s;

static void init(void)
{
    sections_init(&s, 1000);
}

static void finish(void)
{
    sections_finish(&s);
}

TestSuite(feed, .init = init, .fini = finish);

static uint64_t in(uint32_t id, uint64_t time)
{
    return abi_record(id, true, time);
}

static uint64_t out(uint32_t id, uint64_t time)
{
    return abi_record(id, false, time);
}

static void feed(const uint64_t *words, size_t count)
{
    prof_feed(&s.tree, &s.lanes[0], words, count, NOW);
    prof_settle(&s.tree, s.lanes[0].time);
}

#define FEED(...)                                       \
    do {                                                \
        const uint64_t words_[] = {__VA_ARGS__};        \
        feed(words_, sizeof(words_) / sizeof(*words_)); \
    } while (0)

struct expected {
    uint64_t calls;
    uint64_t total;
    uint64_t own;
    uint64_t longest;
};

static void expect(const uint32_t *chain, struct expected expected)
{
    const struct abi_profile_node *node = sections_find(&s, 0, chain);

    cr_assert(node != NULL);
    cr_expect(eq(u64, node->calls, expected.calls));
    cr_expect(eq(u64, node->total, expected.total));
    cr_expect(eq(u64, node->total - node->child_total, expected.own));
    cr_expect(eq(u64, node->longest, expected.longest));
}

static void expect_inferred(const uint32_t *chain, uint64_t calls, uint64_t total)
{
    const struct abi_profile_node *node = sections_find(&s, 0, chain);

    cr_assert(node != NULL);
    cr_expect(eq(u64, node->inferred_calls, calls));
    cr_expect(eq(u64, node->inferred_total, total));
}

Test(feed, calls_are_counted_by_chain_of_callers)
{
    FEED(in(1, 10), in(2, 20), out(2, 25), in(3, 30), in(2, 31), out(2, 33), out(3, 40), in(2, 41),
         out(2, 48), out(1, 60));
    expect(CHAIN(1), (struct expected){1, 50, 28, 50});
    expect(CHAIN(1, 2), (struct expected){2, 12, 12, 7});
    expect(CHAIN(1, 3), (struct expected){1, 10, 8, 10});
    expect(CHAIN(1, 3, 2), (struct expected){1, 2, 2, 2});
    cr_expect(eq(u64, s.section.written, 4));
    cr_expect(eq(u64, s.rows[0].words, 10));
    cr_expect(eq(u64, s.rows[0].first_time, 10));
    cr_expect(eq(u64, s.rows[0].last_time, 60));
    cr_expect(eq(u64, s.rows[0].outer_time, 50));
}

Test(feed, an_open_call_tells_since_when)
{
    FEED(in(1, 10), in(2, 20));
    cr_expect(eq(u64, sections_find(&s, 0, CHAIN(1))->open_since, 11));
    cr_expect(eq(u64, sections_find(&s, 0, CHAIN(1, 2))->open_since, 21));
    FEED(out(2, 30));
    cr_expect(eq(u64, sections_find(&s, 0, CHAIN(1, 2))->open_since, 0));
    cr_expect(eq(u64, sections_find(&s, 0, CHAIN(1))->child_total, 10));
}

Test(feed, an_outer_exit_closes_what_is_above_it)
{
    FEED(in(1, 10), in(2, 20), in(3, 30), out(1, 40));
    expect(CHAIN(1), (struct expected){1, 30, 10, 30});
    expect(CHAIN(1, 2), (struct expected){1, 20, 10, 20});
    expect(CHAIN(1, 2, 3), (struct expected){1, 10, 10, 10});
    cr_expect(eq(u64, s.rows[0].inferred, 2));
    expect_inferred(CHAIN(1), 0, 0);
    expect_inferred(CHAIN(1, 2), 1, 20);
    expect_inferred(CHAIN(1, 2, 3), 1, 10);
}

/* The time of the inner call of 2 is that of the outer one, whose end is known. */
Test(feed, inferred_time_is_counted_once)
{
    FEED(in(1, 10), in(2, 20), in(3, 30), in(2, 40), out(3, 50), out(2, 60), out(1, 70));
    expect_inferred(CHAIN(1, 2), 1, 0);
    expect_inferred(CHAIN(1, 2, 3), 0, 0);
    FEED(in(1, 100), in(2, 110), in(3, 120), in(2, 130), out(1, 150));
    expect_inferred(CHAIN(1, 2), 3, 40);
    expect_inferred(CHAIN(1, 2, 3), 1, 30);
}

/* Nor does an exit that says so itself. */
Test(feed, the_end_of_a_thread_ends_no_call_for_certain)
{
    FEED(in(1, 10), in(2, 20), out(2, 30));
    prof_end(&s.tree, &s.lanes[0]);
    expect_inferred(CHAIN(1), 1, 20);
    expect_inferred(CHAIN(1, 2), 0, 0);
}

Test(feed, a_catch_keeps_its_own_call)
{
    FEED(in(1, 10), in(2, 20), in(3, 30), out(ABI_CATCH_ID, 40));
    FEED(out(1, 40), in(4, 50), out(4, 55), out(1, 60));
    expect(CHAIN(1, 2), (struct expected){1, 20, 10, 20});
    expect(CHAIN(1, 4), (struct expected){1, 5, 5, 5});
    expect(CHAIN(1), (struct expected){1, 50, 25, 50});
    expect_inferred(CHAIN(1, 2), 0, 0);
    expect_inferred(CHAIN(1, 2, 3), 0, 0);
    cr_expect(s.tree.methods[1].has_caught);
    cr_expect(not(s.tree.methods[2].has_caught));
    cr_expect(eq(u64, s.rows[0].inferred, 0));
    cr_expect(eq(u64, s.rows[0].lost_entries, 0));
}

Test(feed, a_catch_in_an_unknown_call_changes_nothing)
{
    FEED(in(1, 10), out(ABI_CATCH_ID, 20), out(7, 20), out(1, 30));
    expect(CHAIN(1), (struct expected){1, 20, 20, 20});
    cr_expect(eq(u64, s.rows[0].lost_entries, 1));
}

Test(feed, an_exit_without_entry_is_counted)
{
    FEED(out(2, 5), in(1, 10), out(2, 20), out(1, 30));
    expect(CHAIN(1), (struct expected){1, 20, 20, 20});
    cr_expect(eq(u64, s.rows[0].lost_entries, 2));
    cr_expect(eq(u64, s.section.written, 1));
}

Test(feed, open_calls_outlast_a_gap)
{
    FEED(in(1, 10), in(2, 20));
    prof_skip(&s.lanes[0], 100);
    FEED(in(3, 30), out(3, 35), out(1, 50));
    expect(CHAIN(1), (struct expected){1, 40, 10, 40});
    expect(CHAIN(1, 2, 3), (struct expected){1, 5, 5, 5});
    cr_expect(eq(u64, s.rows[0].lost_words, 100));
}

/* What ended unseen is not the caller of what is called next: 2 was never seen to call itself. */
Test(feed, a_call_that_ended_in_a_gap_makes_no_calls_after_it)
{
    FEED(in(1, 10), in(2, 20), in(3, 22), out(3, 24), out(2, 25), in(2, 30), in(3, 32));
    prof_skip(&s.lanes[0], 100);
    FEED(in(2, 50), out(2, 55), out(1, 60));
    expect(CHAIN(1, 2), (struct expected){3, 30, 10, 20});
    cr_expect(eq(u64, s.section.written, 3));
}

Test(feed, a_call_that_may_be_open_after_a_gap_makes_calls_as_before)
{
    FEED(in(1, 10), in(2, 20), in(3, 22), out(3, 24));
    prof_skip(&s.lanes[0], 100);
    FEED(in(3, 30), out(3, 31), out(2, 40), out(1, 50));
    expect(CHAIN(1, 2, 3), (struct expected){2, 3, 3, 2});
    expect(CHAIN(1, 2), (struct expected){1, 20, 17, 20});
}

Test(feed, a_gap_between_the_words_of_a_catch_forgets_it)
{
    FEED(in(1, 10), out(ABI_CATCH_ID, 20));
    prof_skip(&s.lanes[0], 1);
    FEED(out(1, 30));
    expect(CHAIN(1), (struct expected){1, 20, 20, 20});
}

Test(feed, messages_do_not_nest)
{
    FEED(in(ABI_MESSAGE_ID, 10), in(1, 20), in(ABI_MESSAGE_ID, 30), in(1, 40), out(1, 50),
         out(ABI_MESSAGE_ID, 60));
    expect(CHAIN(ABI_MESSAGE_ID), (struct expected){2, 50, 30, 30});
    expect(CHAIN(ABI_MESSAGE_ID, 1), (struct expected){2, 20, 20, 10});
}

Test(feed, an_exit_does_not_reach_across_a_message)
{
    FEED(in(1, 10), in(ABI_MESSAGE_ID, 20), out(1, 30), out(ABI_MESSAGE_ID, 40), out(1, 50));
    expect(CHAIN(1), (struct expected){1, 40, 20, 40});
    cr_expect(eq(u64, s.rows[0].lost_entries, 1));
}

Test(feed, time_never_goes_back)
{
    FEED(in(1, 50), in(2, 40), out(2, 45), out(1, 60));
    expect(CHAIN(1), (struct expected){1, 10, 10, 10});
    expect(CHAIN(1, 2), (struct expected){1, 0, 0, 0});
}

Test(feed, times_of_43_bits_become_whole)
{
    uint64_t start = (UINT64_C(5) << ABI_TIME_BITS) - 10;
    const uint64_t words[] = {in(1, start), out(1, start + 30)};

    prof_feed(&s.tree, &s.lanes[0], words, 2, start + 1000);
    cr_expect(eq(u64, s.rows[0].first_time, start));
    expect(CHAIN(1), (struct expected){1, 30, 30, 30});
}

Test(feed, threads_have_trees_of_their_own)
{
    const uint64_t other[] = {in(1, 10), out(1, 15)};

    FEED(in(1, 10), out(1, 20));
    prof_feed(&s.tree, &s.lanes[1], other, 2, NOW);
    expect(CHAIN(1), (struct expected){1, 10, 10, 10});
    cr_expect(eq(u64, sections_find(&s, 1, CHAIN(1))->total, 5));
}

Test(feed, the_end_of_a_thread_ends_its_calls)
{
    FEED(in(1, 10), in(2, 20));
    prof_end(&s.tree, &s.lanes[0]);
    expect(CHAIN(1), (struct expected){1, 10, 10, 10});
    cr_expect(eq(u64, sections_find(&s, 0, CHAIN(1))->open_since, 0));
}

/* ---- Muted methods ---- */

Test(feed, an_open_call_of_a_muted_method_ends_with_the_next_record)
{
    FEED(in(1, 10), in(2, 20));
    s.tree.methods[2].muted_since = 25 + 1;
    FEED(in(3, 30), out(3, 32), out(1, 40));
    expect(CHAIN(1, 2), (struct expected){1, 10, 10, 10});
    expect(CHAIN(1, 3), (struct expected){1, 2, 2, 2});
    expect(CHAIN(1), (struct expected){1, 30, 18, 30});
    cr_expect(eq(u64, s.rows[0].inferred, 0));
}

Test(feed, records_from_before_a_mute_are_as_ever)
{
    s.tree.methods[2].muted_since = 100 + 1;
    FEED(in(1, 10), in(2, 20), in(3, 30), out(3, 32), out(2, 40), out(1, 50));
    expect(CHAIN(1, 2, 3), (struct expected){1, 2, 2, 2});
    expect(CHAIN(1, 2), (struct expected){1, 20, 18, 20});
}

Test(feed, what_is_left_of_a_muted_method_is_dropped_in_silence)
{
    s.tree.methods[2].muted_since = 1;
    FEED(in(1, 10), out(2, 20), in(2, 30), in(3, 40), out(3, 45), out(2, 50), out(1, 60));
    expect(CHAIN(1, 3), (struct expected){1, 5, 5, 5});
    cr_expect(eq(u64, s.rows[0].lost_entries, 0));
    cr_expect(eq(u64, s.rows[0].inferred, 0));
}

/* ---- Recursion ---- */

/* 1 - 2 - 1 - 2 - 3, 10 units own each but for the innermost's 50 */
Test(feed, a_call_within_its_like_counts_there)
{
    FEED(in(1, 0), in(2, 10), in(1, 20), in(2, 30), in(3, 40), out(3, 90), out(2, 90), out(1, 90),
         out(2, 90), out(1, 90));
    expect(CHAIN(1), (struct expected){2, 90, 20, 90});
    expect(CHAIN(1, 2), (struct expected){2, 80, 20, 80});
    expect(CHAIN(1, 2, 3), (struct expected){1, 50, 50, 50});
    cr_expect(eq(u64, s.section.written, 3));
    cr_expect(eq(u32, s.nodes[0].flags, ABI_PROFILE_FOLDED));
    cr_expect(eq(u32, s.nodes[2].flags, 0));
    cr_expect(eq(u64, s.nodes[0].open_since, 0));
    cr_expect(eq(u64, s.rows[0].outer_time, 90));
    cr_expect(eq(u64, s.section.lost, 0));
}

/* 3 is called by 2, and by 1 within that: as one of the outer 1, of which 2 has the time too. */
Test(feed, what_a_folded_call_makes_is_found_at_the_outer_one)
{
    FEED(in(1, 0), in(2, 10), in(1, 20), in(3, 30), out(3, 70), out(1, 80), out(2, 90), out(1, 95));
    expect(CHAIN(1), (struct expected){2, 95, 35, 95});
    expect(CHAIN(1, 2), (struct expected){1, 80, 20, 80});
    expect(CHAIN(1, 3), (struct expected){1, 40, 40, 40});
}

/* As a reader sees it while it runs: 2 has none of the inner 1's time. */
Test(feed, an_open_folded_call_is_settled)
{
    FEED(in(1, 0), in(2, 10), in(1, 20));
    prof_settle(&s.tree, 50);
    cr_expect(eq(u64, s.nodes[0].child_total, (uint64_t)-30));
    cr_expect(eq(u64, s.nodes[1].child_total, 30));
    FEED(out(1, 60), out(2, 70), out(1, 80));
    expect(CHAIN(1), (struct expected){2, 80, 60, 80});
    expect(CHAIN(1, 2), (struct expected){1, 60, 20, 60});
}

/* A throttle sees time within a method's own calls once. */
Test(feed, methods_know_their_own_time)
{
    FEED(in(1, 0), in(2, 10), in(1, 20), in(2, 30), out(2, 90), out(1, 90), out(2, 90), out(1, 90));
    cr_expect(eq(u64, s.tree.methods[1].calls, 2));
    cr_expect(eq(u64, s.tree.methods[1].total, 90));
    cr_expect(eq(u64, s.tree.methods[1].own, 20));
    cr_expect(eq(u64, s.tree.methods[2].total, 80));
    cr_expect(eq(u64, s.tree.methods[2].own, 70));
}

/* ---- Too little room ---- */

static void use_capacity(uint32_t capacity)
{
    sections_finish(&s);
    sections_init(&s, capacity);
}

Test(feed, without_room_a_call_is_its_callers_own_time)
{
    use_capacity(2);
    FEED(in(1, 0), in(2, 10), in(3, 20), in(4, 30), out(4, 40), out(3, 60), out(2, 80),
         out(1, 100));
    expect(CHAIN(1), (struct expected){1, 100, 30, 100});
    expect(CHAIN(1, 2), (struct expected){1, 70, 70, 70});
    cr_expect(eq(u64, s.section.lost, 2));
    cr_expect(eq(u64, s.tree.methods[4].own, 10), "the throttle sees them");
    cr_expect(eq(u32, sections_find(&s, 0, CHAIN(1, 2))->flags, 0));
}

Test(feed, a_stack_grows_as_deep_as_it_must)
{
    static uint64_t words[20000];

    for (size_t i = 0; i < 10000; i++) {
        words[i] = in(1 + i % 3, i);
        words[19999 - i] = out(1 + i % 3, 20000 - i);
    }
    feed(words, 20000);
    cr_expect(eq(u32, s.lanes[0].depth, 0));
    cr_expect(eq(u64, s.section.written, 3));
    cr_expect(eq(u64, s.rows[0].inferred, 0));
    cr_expect(eq(u64, s.nodes[0].total, 20000));
    cr_expect(eq(u64, s.nodes[0].calls, 3334));
}

/* Deeper than what is followed: every call is counted, and none of them as left by an exception. */
Test(feed, a_deep_recursion_is_told_as_one)
{
    const uint32_t most = 3 * ABI_PROFILE_DEPTH;
    uint64_t *words = malloc((size_t)most * 2 * sizeof(*words));

    cr_assert(ne(ptr, words, NULL));
    for (uint32_t i = 0; i < most; i++) {
        words[i] = in(1 + i % 3, i);
        words[2 * most - 1 - i] = out(1 + i % 3, 2 * most - i);
    }
    feed(words, 2 * most);
    cr_expect(eq(u32, s.lanes[0].depth, 0));
    uint64_t calls = 0;
    for (size_t i = 0; i < s.section.written; i++) {
        calls += s.nodes[i].calls;
    }
    cr_expect(eq(u64, calls, most));
    cr_expect(eq(u64, s.rows[0].inferred, 0));
    cr_expect(eq(u64, s.rows[0].lost_entries, 0));
    cr_expect(eq(u64, s.rows[0].deep_calls, 2 * ABI_PROFILE_DEPTH));
    free(words);
}

/* ---- Calls left by exceptions, within one that goes on ---- */

#define STALE 600000u

/* 2 calls 3, 4 calls 5; neither 2 nor 4 shows its end. */
static void leave_open(uint32_t calls, uint64_t start)
{
    for (uint32_t i = 0; i < calls; i++) {
        const uint64_t handler = 2 + i % 2 * 2;
        const uint64_t words[] = {in(handler, start + i), in(handler + 1, start + i),
                                  out(handler + 1, start + i)};
        prof_feed(&s.tree, &s.lanes[0], words, MB_COUNT(words), start + i + 1);
    }
}

static uint64_t cpu_ns(void)
{
    struct timespec used;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

static uint64_t settle_often(uint64_t now)
{
    uint64_t before = cpu_ns();

    for (uint32_t i = 0; i < 1000; i++) {
        prof_settle(&s.tree, now + i);
    }
    return cpu_ns() - before;
}

Test(feed, a_round_takes_as_long_however_many_calls_were_left_open)
{
    FEED(in(1, 0));
    leave_open(1000, 1);
    uint64_t few = settle_often(1001);
    leave_open(STALE, 3000);
    uint64_t many = settle_often(STALE + 3000);
    cr_expect(lt(u64, many, 20 * few + 1000000), "it was hundreds of times as long");
}

Test(feed, calls_left_open_take_bounded_memory)
{
    FEED(in(1, 0));
    leave_open(STALE, 1);
    cr_expect(lt(u32, s.lanes[0].room, STALE / 2));
    cr_expect(gt(u64, s.rows[0].inferred, STALE / 2));
    cr_expect(eq(u64, s.rows[0].lost_exits, 0));
    cr_expect(eq(u64, s.rows[0].lost_entries, 0));
    FEED(out(1, STALE + 10));
    expect(CHAIN(1),
           (struct expected){1, STALE + 10, s.nodes[0].total - s.nodes[0].child_total, STALE + 10});
    uint64_t called = 0;
    for (uint32_t i = 0; i < s.section.written; i++) {
        called += s.nodes[i].id == 3 ? s.nodes[i].calls : 0;
    }
    cr_expect(eq(u64, called, STALE / 2));
}

/* ---- Any words, against a model that is slow and plain ---- */

#define MODEL_MAX 4000

#define MODEL_IDS 5

struct model_node {
    uint32_t parent;
    uint32_t id;
    uint64_t calls;
    uint64_t total;
    uint64_t own;
    uint64_t inferred_calls;
    uint64_t inferred_total;
};

struct model_call {
    uint32_t node;
    uint32_t id;
    uint64_t start;
};

static struct model_node model_nodes[MODEL_MAX];
static struct model_call model_calls[MODEL_MAX];
static uint32_t model_node_count;
static size_t model_depth;
static uint64_t model_time;
static uint64_t model_totals[MODEL_IDS]; /* [id] = how long it was on the stack */
static uint64_t model_inferred;
static uint64_t model_lost;

static bool model_is_open(uint32_t node)
{
    bool is_open = false;

    for (size_t i = 0; i < model_depth; i++) {
        is_open |= model_calls[i].node == node;
    }
    return is_open;
}

/* Time passes for all that is open. */
static void model_pass(uint64_t time)
{
    uint64_t passed = time - model_time;

    for (uint32_t i = 0; i < model_node_count; i++) {
        model_nodes[i].total += model_is_open(i) ? passed : 0;
    }
    for (uint32_t id = 1; id < MODEL_IDS; id++) {
        size_t place = 0;
        while (place < model_depth && model_calls[place].id != id) {
            place++;
        }
        model_totals[id] += place < model_depth ? passed : 0;
    }
    if (model_depth > 0) {
        model_nodes[model_calls[model_depth - 1].node].own += passed;
    }
    model_time = time;
}

static uint32_t model_find(uint32_t parent, uint32_t id)
{
    uint32_t node = 0;

    for (size_t i = 0; i < model_depth; i++) {
        if (model_calls[i].id == id) {
            return model_calls[i].node;
        }
    }
    while (node < model_node_count &&
           (model_nodes[node].parent != parent || model_nodes[node].id != id)) {
        node++;
    }
    return node;
}

static void model_enter(uint32_t id)
{
    uint32_t parent = model_depth > 0 ? model_calls[model_depth - 1].node : ABI_PROFILE_NO_NODE;
    uint32_t node = model_find(parent, id);

    if (node == model_node_count) {
        model_nodes[model_node_count++] = (struct model_node){.parent = parent, .id = id};
    }
    model_calls[model_depth++] = (struct model_call){node, id, model_time};
}

static void model_close(void)
{
    model_nodes[model_calls[--model_depth].node].calls++;
}

/* The newest call ends now, or did before. */
static void model_infer(void)
{
    struct model_call call = model_calls[model_depth - 1];
    struct model_node *node = &model_nodes[call.node];

    model_close();
    model_inferred++;
    node->inferred_calls++;
    node->inferred_total += model_is_open(call.node) ? 0 : model_time - call.start;
}

static void model_leave(uint32_t id, bool catches)
{
    size_t place = model_depth;

    while (place > 0 && model_calls[place - 1].id != id) {
        place--;
    }
    if (place == 0) {
        model_lost++;
        return;
    }
    while (model_depth > place) {
        if (catches) {
            model_close();
        } else {
            model_infer();
        }
    }
    if (!catches) {
        model_close();
    }
}

static void model_reset(void)
{
    model_node_count = 0;
    model_depth = 0;
    model_time = 0;
    model_inferred = 0;
    model_lost = 0;
    memset(model_totals, 0, sizeof(model_totals));
}

static uint32_t next_random(uint32_t *state, uint32_t below)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 8) % below;
}

/* Entries, exits that fit, exits that do not, catches. Returns how many words. */
static size_t make_program(uint32_t seed, uint64_t *words, size_t size)
{
    uint64_t time = 1;
    size_t count = 0;

    model_reset();
    while (count + 2 < size) {
        uint32_t what = next_random(&seed, 20);
        uint32_t id = 1 + next_random(&seed, 4);
        time += next_random(&seed, 9);
        model_pass(time);
        if (what < 9 && model_depth < 9) {
            words[count++] = in(id, time);
            model_enter(id);
        } else if (what < 18 && model_depth > 0) {
            id = model_calls[model_depth - 1].id;
            words[count++] = out(id, time);
            model_leave(id, false);
        } else if (what == 18) {
            words[count++] = out(id, time);
            model_leave(id, false);
        } else {
            words[count++] = out(ABI_CATCH_ID, time);
            words[count++] = out(id, time);
            model_leave(id, true);
        }
    }
    return count;
}

static void feed_in_portions(const uint64_t *words, size_t count, uint32_t seed)
{
    size_t done = 0;

    while (done < count) {
        size_t part = 1 + next_random(&seed, 50);
        part = part < count - done ? part : count - done;
        feed(words + done, part);
        prof_settle(&s.tree, s.lanes[0].time + next_random(&seed, 2));
        done += part;
    }
}

/* The time until now of the call that runs, as a reader adds it. */
static uint64_t open_time(const struct abi_profile_node *node)
{
    return node->open_since > 0 ? model_time - (node->open_since - 1) : 0;
}

static uint64_t own_time(uint32_t index)
{
    const struct abi_profile_node *node = &s.nodes[index];
    uint64_t own = node->total + open_time(node) - node->child_total;

    for (uint32_t i = index + 1; i < s.section.written; i++) {
        own -= s.nodes[i].parent == index ? open_time(&s.nodes[i]) : 0;
    }
    return own;
}

static void expect_model(uint32_t seed)
{
    uint64_t totals[MODEL_IDS] = {0};

    cr_assert(eq(u64, s.section.written, model_node_count), "seed %u", seed);
    for (uint32_t i = 0; i < model_node_count; i++) {
        const struct abi_profile_node *node = &s.nodes[i];
        const struct model_node *model = &model_nodes[i];
        cr_assert(eq(u32, node->parent, model->parent), "seed %u", seed);
        cr_assert(eq(u32, node->id, model->id), "seed %u", seed);
        cr_assert(eq(u64, node->calls, model->calls), "seed %u", seed);
        cr_assert(eq(u64, node->total + open_time(node), model->total), "seed %u", seed);
        cr_assert(eq(u64, own_time(i), model->own), "seed %u", seed);
        cr_assert(eq(u64, node->inferred_calls, model->inferred_calls), "seed %u", seed);
        cr_assert(eq(u64, node->inferred_total, model->inferred_total), "seed %u", seed);
        totals[node->id] += node->total + open_time(node);
    }
    for (uint32_t id = 1; id < MODEL_IDS; id++) {
        cr_assert(eq(u64, totals[id], model_totals[id]), "seed %u", seed);
    }
    cr_assert(eq(u32, s.lanes[0].depth, model_depth), "seed %u", seed);
    cr_assert(eq(u64, s.rows[0].inferred, model_inferred), "seed %u", seed);
    cr_assert(eq(u64, s.rows[0].lost_entries, model_lost), "seed %u", seed);
}

Test(feed, any_words_in_any_portions_are_what_a_plain_model_says)
{
    static uint64_t words[3000];

    for (uint32_t seed = 1; seed <= 300; seed++) {
        use_capacity(4 * MODEL_MAX);
        size_t count = make_program(seed, words, seed * 10);
        feed_in_portions(words, count, seed);
        prof_settle(&s.tree, model_time);
        expect_model(seed);
    }
}

/* Whatever the room, no time is lost: own times add up to that inside outermost calls. */
Test(feed, a_full_table_loses_no_time)
{
    static uint64_t words[3000];

    for (uint32_t seed = 1; seed <= 300; seed++) {
        use_capacity(64 + seed % 20);
        size_t count = make_program(seed, words, 2500);
        feed_in_portions(words, count, seed);
        prof_end(&s.tree, &s.lanes[0]);
        uint64_t own = 0;
        for (uint32_t i = 0; i < s.section.written; i++) {
            own += s.nodes[i].total - s.nodes[i].child_total;
            cr_assert(eq(u64, s.nodes[i].open_since, 0), "seed %u", seed);
            cr_assert(le(u64, s.nodes[i].inferred_total, s.nodes[i].total), "seed %u", seed);
        }
        cr_assert(eq(u64, own, s.rows[0].outer_time), "seed %u", seed);
    }
}

/* Words that nobody wrote, gaps anywhere: nothing but what the sanitizers see. */
Test(feed, nonsense_does_no_harm)
{
    uint32_t state = 7;

    use_capacity(300);
    for (size_t i = 0; i < 200000; i++) {
        uint64_t word = (uint64_t)next_random(&state, 1u << 24) << 43 | next_random(&state, 1000);
        if (next_random(&state, 100) == 0) {
            prof_skip(&s.lanes[0], 1);
        }
        if (next_random(&state, 1000) == 0) {
            prof_end(&s.tree, &s.lanes[0]);
        }
        s.tree.methods[next_random(&state, 1u << 20)].muted_since = next_random(&state, 2);
        feed(&word, 1);
    }
    cr_expect(le(u64, s.section.written, 300));
}

/* ---- Exact times ---- */

/* The clock steps at 1000 and 6000; four records of each step are exact. */
Test(feed, knows_the_calls_with_exact_times)
{
    s.lanes[0].exact_words = 4;
    FEED(in(1, 1000), in(2, 1001), out(2, 1004), in(3, 1005), out(3, 1005), in(2, 1005),
         out(2, 1005), in(2, 6000), out(2, 6002), out(1, 6003));
    cr_expect(eq(u32, s.tree.methods[2].exact_calls, 2));
    cr_expect(eq(u64, s.tree.methods[2].exact_own, 5));
    cr_expect(eq(u64, s.tree.methods[2].exact_squares, 13));
    cr_expect(eq(u32, s.tree.methods[3].exact_calls, 0));
    cr_expect(eq(u32, s.tree.methods[1].exact_calls, 0));
    cr_expect(eq(u64, s.rows[0].exact_words, 7));
}

/* The word after a gap may be one for which the clock stood still. */
Test(feed, takes_no_time_after_a_gap_for_exact)
{
    s.lanes[0].exact_words = 4;
    FEED(in(1, 1000));
    prof_skip(&s.lanes[0], 7);
    FEED(in(2, 1009), out(2, 1009), in(2, 6000), out(2, 6001));
    cr_expect(eq(u32, s.tree.methods[2].exact_calls, 1));
    cr_expect(eq(u64, s.tree.methods[2].exact_own, 1));
    cr_expect(eq(u64, s.rows[0].exact_words, 3));
}

Test(feed, takes_all_times_of_an_exact_clock)
{
    s.lanes[0].exact_words = UINT32_MAX;
    FEED(in(1, 1), in(2, 1), out(2, 1), in(2, 2), out(2, 2), out(1, 3));
    cr_expect(eq(u32, s.tree.methods[2].exact_calls, 2));
    cr_expect(eq(u32, s.tree.methods[1].exact_calls, 1));
    cr_expect(eq(u64, s.rows[0].exact_words, 6));
}
