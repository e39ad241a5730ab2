/* Kinds of requests, and how long they took. */

#include "answer/requests.h"

#include "answer/model.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>

#define MS UINT64_C(1000000)
#define NONE ABI_PROFILE_NO_NODE
#define REQUEST(parent, id, count, ms)                                          \
    {                                                                           \
        parent, id, 0, ABI_PROFILE_REQUEST, .calls = (count), .total = (ms)*MS, \
                                            .longest = (ms)*MS / (count)*3,     \
    }

static const struct abi_profile_thread threads[] = {
    {.name = "pool-1", .flags = ABI_PROFILE_BOUNDS, .last_time = 10000 * MS, .thread_count = 1}};
static const struct abi_profile_node nodes[] = {
    {NONE, 1, 0, ABI_PROFILE_BODY, .open_since = 1},
    REQUEST(0, 2, 100, 4000),
    REQUEST(0, 3, 100, 5000),  /* a wait, by its name */
    REQUEST(0, 4, 20, 500),    /* too few */
    REQUEST(NONE, 5, 90, 900), /* elsewhere it is none */
    REQUEST(0, 6, 50, 25),     /* short */
    REQUEST(0, 7, 1000, 800),  /* short but for a few, which have more than a tenth of all time, */
    REQUEST(0, 8, 1000, 300),  /* and less */
    {0, 10, 0, ABI_PROFILE_REQUEST, .calls = 1000, .total = 250 * MS,
     .longest = 12 * MS}, /* one in a hundred is late */
    {0, 9, 0, ABI_PROFILE_REQUEST, .calls = 50, .total = 700 * MS, .longest = 40 * MS,
     .waited_least = 650 * MS}, /* waits only: of a loop, if others call it, too */
};

static const struct abi_profile_node *tree = nodes;
static uint32_t tree_count = MB_COUNT(nodes);
static struct answer_trace trace;
static struct answer_model model;

static void end(void)
{
    answer_model_finish(&model);
    answer_trace_finish(&trace);
    bench_end();
}

TestSuite(requests, .init = bench_begin, .fini = end);

static void build(const uint64_t *lengths, size_t count, const char *thread)
{
    const struct answer_options options = {.threshold_ns = 1, .thread = thread};
    const struct bench_profile profile = {
        .threads = threads, .thread_count = 1, .nodes = tree, .node_count = tree_count};

    bench_requests.lengths = lengths;
    bench_requests.length_count = count;
    bench_write_trace("t", NULL, 0, 0);
    bench_add_profile("t", &profile);
    bench_write_text("t.map", "1,1,p.Pool run ()V\n2,1,p.Shop order ()V\n"
                              "3,1,java.util.concurrent.ThreadPoolExecutor getTask ()V\n"
                              "4,1,p.Shop rare ()V\n5,1,p.Shop user ()V\n6,1,p.Shop ping ()V\n");
    char map[512];
    (void)snprintf(map, sizeof(map), "%s", bench_path("t.map"));
    const struct answer_source source = {.path = bench_path("t"), .map.file = map, .force = true};
    cr_assert(eq(int, answer_trace_load(&trace, &source, NULL), MB_OK));
    cr_assert(eq(int, answer_model_build(&model, &trace, &options, NULL, NULL), MB_OK));
}

static bool is_near(int64_t ns, uint64_t true_ns)
{
    int64_t off = ns - (int64_t)true_ns;

    return (off < 0 ? -off : off) * 31 <= (int64_t)true_ns;
}

struct length {
    uint32_t id;
    uint32_t request;
    uint64_t units;
    uint32_t calls;
};

static const struct length some[] = {
    {2, ABI_LENGTH_REQUEST, 90 * MS, 10},
    {5, 0, 1 * MS, 500},
    {2, 0, 30 * MS, 50},
    {3, 0, 50 * MS, 100},
    {2, ABI_LENGTH_REQUEST, 40 * MS, 40},
    {4, ABI_LENGTH_REQUEST, 25 * MS, 20},
    {5, ABI_LENGTH_REQUEST, 10 * MS, 80},
    {6, ABI_LENGTH_REQUEST, MS / 2, 50},
    {7, ABI_LENGTH_REQUEST, 4000, 995},
    {7, ABI_LENGTH_REQUEST, 160 * MS, 5},
    {8, ABI_LENGTH_REQUEST, 4000, 995},
    {8, ABI_LENGTH_REQUEST, 60 * MS, 5},
    {10, ABI_LENGTH_REQUEST, 4000, 980},
    {10, ABI_LENGTH_REQUEST, 12 * MS, 20},
    {9, ABI_LENGTH_REQUEST, 14 * MS, 50},
    {9, 0, 14 * MS, 1}, /* the last one */
};

static void build_first(size_t count, const char *thread)
{
    uint64_t lengths[MB_COUNT(some)];

    for (size_t i = 0; i < count; i++) {
        uint32_t key = some[i].id << 12 | some[i].request | abi_length_bucket(some[i].units);
        lengths[i] = (uint64_t)key << 32 | some[i].calls;
    }
    build(lengths, count, thread);
}

static void build_some(const char *thread)
{
    build_first(MB_COUNT(some), thread);
}

Test(requests, are_told_by_kind_with_percentiles)
{
    build_some(NULL);
    const struct answer_requests *requests = &model.facts.requests;
    cr_assert(eq(sz, requests->count, 4), "waits and rare ones are left out");
    cr_expect(eq(sz, requests->short_count, 1));
    const struct answer_request *order = &requests->rows[0];
    cr_expect(eq(u32, order->id, 2));
    cr_expect(eq(u64, order->calls, 100));
    cr_expect(eq(u64, order->lengths.calls, 100), "those of before they were known, too");
    cr_expect(is_near(order->lengths.p50.ns, 40 * MS));
    cr_expect(is_near(order->lengths.p90.ns, 90 * MS));
    cr_expect(is_near(order->lengths.p99.ns, 90 * MS));
    cr_expect(is_near(order->lengths.p50.least_ns, 30 * MS), "places 37 to 64 of 100");
    cr_expect(is_near(order->lengths.p50.most_ns, 40 * MS));
    cr_expect(eq(i64, order->lengths.p99.most_ns, INT64_MAX), "too few for it");
    cr_expect(eq(i64, order->longest_ns, (int64_t)(120 * MS)));
    const struct answer_request *user = &requests->rows[1];
    cr_expect(eq(u64, user->lengths.calls, 80), "other calls of the method do not count");
    cr_expect(is_near(user->lengths.p50.ns, 10 * MS));
    cr_expect(eq(u32, requests->rows[2].id, 7), "its few slow ones have a tenth of the time");
    cr_expect(eq(u32, requests->rows[3].id, 10), "a person waits for its slow ones");
}

Test(requests, that_only_wait_are_pauses_of_a_loop_if_others_call_the_method)
{
    build_first(MB_COUNT(some) - 1, NULL);
    const struct answer_requests *requests = &model.facts.requests;
    cr_assert(eq(sz, requests->count, 5));
    cr_expect(eq(u32, requests->rows[3].id, 9), "it may answer somebody");
    answer_model_finish(&model);
    answer_trace_finish(&trace);
    build_some(NULL);
    cr_expect(eq(sz, model.facts.requests.count, 4));
}

Test(requests, are_spread_over_bars_from_the_shortest_to_the_longest)
{
    build_some(NULL);
    const struct answer_facts *facts = &model.facts;
    struct answer_spread order =
        answer_spread_of(&facts->methods, &facts->clock, &facts->requests.rows[0]);
    struct answer_spread user =
        answer_spread_of(&facts->methods, &facts->clock, &facts->requests.rows[1]);

    cr_expect(is_near(order.least_ns, 30 * MS));
    cr_expect(eq(u64, order.bars[0], 50));
    cr_expect(eq(u64, order.bars[10], 40), "a quarter of the way from 30 to 90 on a log scale");
    cr_expect(eq(u64, order.bars[ANSWER_BARS - 1], 10));
    cr_expect(eq(u64, user.bars[0], 0), "other calls of the method do not count");
    cr_expect(eq(u64, user.bars[ANSWER_BARS - 1], 80));
}

Test(requests, lengths_of_methods_are_of_all_calls)
{
    build_some(NULL);
    const struct answer_facts *facts = &model.facts;
    struct answer_lengths all = answer_lengths_of(&facts->methods, &facts->clock, 5, ANSWER_CALLS);
    cr_expect(eq(u64, all.calls, 580));
    cr_expect(is_near(all.p50.ns, 1 * MS));
    cr_expect(is_near(all.p99.ns, 10 * MS));
    cr_expect(
        eq(u64, answer_lengths_of(&facts->methods, &facts->clock, 11, ANSWER_CALLS).calls, 0));
}

Test(requests, of_one_thread_are_not_told)
{
    build_some("pool-1");
    cr_expect(eq(sz, model.facts.requests.count, 0), "lengths are of all threads");
    cr_expect(eq(sz, model.facts.methods.length_count, 0));
}

Test(requests, survive_any_words)
{
    static const uint64_t any[] = {UINT64_MAX, 0, UINT64_MAX << 32, UINT64_C(2) << 44 | 1};

    build(any, MB_COUNT(any), NULL);
    cr_expect(eq(sz, model.facts.requests.count, 0));
}

/* ---- Slow ones ---- */

/* Ten slow requests, 90 ms each: 60 ms of them in method 6, which usually takes none. */
static const struct abi_profile_node slow_nodes[] = {
    {NONE, 2, 0, .calls = 10, .total = 900 * MS, .child_total = 600 * MS},
    {0, 6, 0, .calls = 10, .total = 600 * MS},
    {7, 6, 0, .calls = 10, .total = 600 * MS}, /* makes no sense */
};
static const struct abi_profile_slow slow[] = {
    {.length = 90 * MS, .id = 2, .ids = {6, 2}, .own = {60 * MS, 30 * MS}},
    {.length = 99 * MS, .id = 2, .ids = {2, 6}, .own = {39 * MS, 60 * MS}},
    {.length = 300 * MS, .id = 2, .ids = {2, 6}, .own = {139 * MS, 60 * MS}},
    {.length = 0, .id = 2, .ids = {7}, .own = {60 * MS}}, /* another was taking its place */
    {.length = 90 * MS, .id = 5, .ids = {7}, .own = {60 * MS}},
    {.length = UINT64_MAX, .id = UINT32_MAX, .ids = {UINT32_MAX}, .own = {UINT64_MAX}},
};

Test(requests, that_are_slow_have_causes)
{
    bench_requests = (struct bench_requests){.slow_nodes = slow_nodes,
                                             .slow_node_count = MB_COUNT(slow_nodes),
                                             .slow = slow,
                                             .slow_count = MB_COUNT(slow)};
    build_some(NULL);
    const struct answer_request *order = &model.facts.requests.rows[0];
    cr_assert(eq(u32, order->id, 2));
    cr_expect(eq(u64, order->slow_count, 10));
    /* Of those that were known as requests (10 * 90 + 40 * 40 - 900) / 40 ms are usual. */
    cr_expect(eq(u64, order->known_calls, 50));
    cr_expect(is_near(order->slower_ns, 50 * MS));
    cr_assert(eq(sz, order->excess_count, 2));
    cr_expect(eq(u32, order->excesses[0].id, 6));
    cr_expect(eq(u64, order->excesses[0].count, 2));
    cr_expect(eq(i64, order->excesses[0].more_ns, (int64_t)(120 * MS)));
    cr_expect(eq(u32, order->excesses[1].id, 0), "none of its methods explains half of it");
    cr_expect(eq(u64, order->excesses[1].count, 1));
    cr_expect(eq(sz, model.facts.requests.rows[1].excess_count, 0), "there are no slow ones");
}

Test(requests, that_are_slow_are_compared_with_all_where_all_were_known)
{
    const uint64_t all[] = {
        (uint64_t)(2u << 12 | ABI_LENGTH_REQUEST | abi_length_bucket(40 * MS)) << 32 | 100};

    bench_requests = (struct bench_requests){.slow_nodes = slow_nodes,
                                             .slow_node_count = MB_COUNT(slow_nodes),
                                             .slow = slow,
                                             .slow_count = 1};
    build(all, MB_COUNT(all), NULL);
    const struct answer_request *order = &model.facts.requests.rows[0];
    cr_assert(eq(u32, order->id, 2));
    cr_expect(eq(u64, order->known_calls, 100));
    /* (4000 - 900) / 90 ms are usual. */
    cr_expect(lt(i64, llabs(order->slower_ns - (int64_t)(90 * MS - 3100 * MS / 90)), 1000));
}

/* Some 90 usual requests and 10 slow ones, in which methods 7 and 8 call method 6. */
struct callers_case {
    uint64_t usual[2]; /* calls of 7 and 8 */
    uint64_t more[2];  /* what method 6 took below them in slow ones */
};

static uint32_t caller_of(const struct callers_case *c)
{
    const uint64_t *more = c->more;
    const struct abi_profile_node usual[] = {
        {NONE, 1, 0, ABI_PROFILE_BODY, .open_since = 1},
        REQUEST(0, 2, 100, 4000),
        {1, 7, 0, .calls = c->usual[0] + 10, .total = more[0], .child_total = more[0]},
        {2, 6, 0, .calls = c->usual[0] + 10, .total = more[0]},
        {1, 8, 0, .calls = c->usual[1] + 10, .total = more[1], .child_total = more[1]},
        {4, 6, 0, .calls = c->usual[1] + 10, .total = more[1]},
    };
    const struct abi_profile_node slow_tree[] = {
        {NONE, 2, 0, .calls = 10, .total = 900 * MS, .child_total = 600 * MS},
        {0, 7, 0, .calls = 10, .total = more[0], .child_total = more[0]},
        {1, 6, 0, .calls = 10, .total = more[0]},
        {0, 8, 0, .calls = 10, .total = more[1], .child_total = more[1]},
        {3, 6, 0, .calls = 10, .total = more[1]},
    };

    bench_requests = (struct bench_requests){.slow_nodes = slow_tree,
                                             .slow_node_count = MB_COUNT(slow_tree),
                                             .slow = slow,
                                             .slow_count = 2};
    tree = usual;
    tree_count = MB_COUNT(usual);
    build_some(NULL);
    const struct answer_request *order = &model.facts.requests.rows[0];
    cr_assert(eq(sz, order->excess_count, 1));
    cr_expect(eq(u32, order->excesses[0].id, 6));
    return order->excesses[0].below;
}

Test(requests, that_are_slow_are_told_by_the_caller_that_makes_them_so)
{
    const struct callers_case c = {{90, 90}, {60 * MS, 540 * MS}};

    cr_expect(eq(u32, caller_of(&c), 8));
}

Test(requests, that_are_slow_are_told_by_the_caller_that_is_rare)
{
    const struct callers_case c = {{90, 2}, {0, 600 * MS}};

    cr_expect(eq(u32, caller_of(&c), 8));
}

Test(requests, that_are_slow_for_several_callers_are_told_by_none)
{
    const struct callers_case c = {{90, 90}, {250 * MS, 350 * MS}};

    cr_expect(eq(u32, caller_of(&c), 0));
}

static const struct abi_profile_pause pauses[] = {
    {1010 * MS, 60 * MS, ABI_PAUSE_COLLECTION}, {2000 * MS, 70 * MS, ABI_PAUSE_THROTTLED},
    {2000 * MS, 80 * MS, ABI_PAUSE_COLLECTION}, {3000 * MS, 900 * MS, ABI_PAUSE_STOPPED},
    {UINT64_MAX, UINT64_MAX, UINT64_MAX},
};

/* All have the same methods, and 40 ms are usual. */
static const struct state_case {
    const char *what;
    struct abi_profile_slow slow;
    enum answer_state state;
} state_cases[] = {
    {"of an older recorder", {.start = 0, .flags = 0}, ANSWER_STATE_TIME},
    {"worked", {.worked = 70 * MS, .flags = 3}, ANSWER_STATE_WORKED},
    {"waited", {.worked = 9 * MS, .flags = 3}, ANSWER_STATE_WAITED},
    {"read", {.worked = 9 * MS, .flags = 3 | ABI_SLOW_IO}, ANSWER_STATE_IO},
    {"ready", {.worked = 20 * MS, .ready = 60 * MS, .flags = 3}, ANSWER_STATE_READY},
    {"ready, as it worked three times as long as is usual",
     {.length = 250 * MS, .own = {230 * MS}, .worked = 120 * MS, .ready = 130 * MS, .flags = 3},
     ANSWER_STATE_WORKED},
    {"ready, and worked a little less than that",
     {.length = 250 * MS, .own = {230 * MS}, .worked = 110 * MS, .ready = 140 * MS, .flags = 3},
     ANSWER_STATE_READY},
    {"a collection", {.start = 1000 * MS, .flags = 3}, ANSWER_STATE_COLLECTED},
    {"too little of one", {.start = 1060 * MS, .flags = 0}, ANSWER_STATE_TIME},
    {"a collection for longest, which is not half",
     {.start = 1045 * MS, .worked = 42 * MS, .ready = 8 * MS, .flags = 3},
     ANSWER_STATE_COLLECTED},
    {"ready for longest, which is not half",
     {.worked = 48 * MS, .ready = 24 * MS, .flags = 3},
     ANSWER_STATE_READY},
    {"a limit, of a collection too", {.start = 2000 * MS, .flags = 3}, ANSWER_STATE_THROTTLED},
    {"stopped", {.start = 3050 * MS, .flags = 3}, ANSWER_STATE_STOPPED},
};

Test(requests, that_are_slow_did_more_of_something)
{
    struct abi_profile_slow rows[MB_COUNT(state_cases)];

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        rows[i] = state_cases[i].slow;
        rows[i].length = rows[i].length > 0 ? rows[i].length : 90 * MS;
        rows[i].id = 2;
        rows[i].ids[0] = 6;
        rows[i].own[0] = rows[i].own[0] > 0 ? rows[i].own[0] : 60 * MS;
    }
    bench_requests = (struct bench_requests){.slow_nodes = slow_nodes,
                                             .slow_node_count = MB_COUNT(slow_nodes),
                                             .slow = rows,
                                             .slow_count = MB_COUNT(rows),
                                             .pauses = pauses,
                                             .pause_count = MB_COUNT(pauses)};
    build_some(NULL);
    const struct answer_request *order = &model.facts.requests.rows[0];
    cr_assert(eq(sz, order->asked_count, MB_COUNT(rows)));
    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        bool has_method = state_cases[i].state >= ANSWER_STATE_READY;
        cr_expect(eq(int, order->asked[i].state, state_cases[i].state), "%s", state_cases[i].what);
        cr_expect(eq(u32, order->asked[i].id, has_method ? 6 : 0), "%s", state_cases[i].what);
    }
    cr_expect(eq(sz, order->excess_count, 8));
    cr_expect(eq(u64, order->excesses[0].count, 2), "two are of one cause");
}
