#include "jvms/live/recent.h"

#include "bench.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#define MS UINT64_C(1000000)

static struct live_trace live = {.fd = -1};
static struct live_snapshot snapshots[2];
static struct live_recent recent = {.focus = LIVE_NO_METHOD};
static char path[512];

static void begin(void)
{
    bench_begin();
    (void)snprintf(path, sizeof(path), "%s", bench_path("t"));
}

static void end(void)
{
    live_recent_finish(&recent);
    live_snapshot_finish(&snapshots[0]);
    live_snapshot_finish(&snapshots[1]);
    live_trace_finish(&live);
    bench_end();
}

TestSuite(recent, .init = begin, .fini = end);

/* The trace says this now. */
static void look_at(struct live_snapshot *snapshot, const struct bench_profile *profile)
{
    static const struct bench_thread ring[] = {{"main", {IN(1, 0), OUT(1, 1)}, true}};
    const struct answer_source source = {.path = path};

    bench_write_trace("t", ring, 1, 0);
    bench_add_profile("t", profile);
    if (live.fd < 0) {
        cr_assert(eq(int, live_trace_open(&live, &source, NULL), MB_OK));
    }
    cr_assert(eq(int, live_trace_take(&live, snapshot, NULL), MB_OK));
}

static void compare(const struct bench_profile *from, const struct bench_profile *to)
{
    look_at(&snapshots[0], from);
    look_at(&snapshots[1], to);
    cr_assert(eq(int, live_recent_find(&recent, &snapshots[0], &snapshots[1], NULL), MB_OK));
    live_recent_sort(&recent, LIVE_BY_OWN);
}

static const struct live_method *method_of(uint32_t id)
{
    const struct live_method *rows = recent.methods.items;
    size_t i = 0;

    while (i < MB_VEC_COUNT(&recent.methods) && rows[i].id != id) {
        i++;
    }
    cr_assert(lt(sz, i, MB_VEC_COUNT(&recent.methods)), "method %u", id);
    return &rows[i];
}

static const struct abi_profile_thread old_threads[] = {
    {.name = "main", .thread_id = 7, .flags = ABI_PROFILE_BOUNDS, .last_time = 1000 * MS}};
static const struct abi_profile_thread new_threads[] = {
    {.name = "main", .thread_id = 7, .flags = ABI_PROFILE_BOUNDS, .last_time = 2000 * MS}};

/* 1 runs all the time, and calls 2, which ends once in between; 3 is new, and runs at the end. */
static const struct abi_profile_node old_nodes[] = {
    {ABI_PROFILE_NO_NODE, 1, 0, 0, .child_total = 300 * MS, .open_since = 1},
    {0, 2, 0, 0, .calls = 3, .total = 300 * MS, .open_since = 900 * MS + 1},
};
static const struct abi_profile_node new_nodes[] = {
    {ABI_PROFILE_NO_NODE, 1, 0, 0, .child_total = 900 * MS, .open_since = 1},
    {0, 2, 0, 0, .calls = 4, .total = 900 * MS, .waited_least = 200 * MS},
    {0, 3, 0, 0, .open_since = 1750 * MS + 1},
};
static const struct abi_profile_mute mutes[] = {{.id = 9, .calls = 1}, {.id = 2, .calls = 4}};
static const struct bench_profile old = {old_threads, 1, old_nodes, 2, mutes, 1, 0, 0, 0};
static const struct bench_profile new = {new_threads, 1, new_nodes, 3, mutes, 2, 0, 0, 0};

Test(recent, tells_what_grew)
{
    compare(&old, &new);
    cr_expect(eq(i64, recent.interval_ns, 1000 * (int64_t)MS));
    cr_expect(eq(i64, recent.run_ns, 2000 * (int64_t)MS));
    cr_assert(eq(sz, MB_VEC_COUNT(&recent.methods), 3));
    /* 2 ran from 900 to 1500. */
    cr_expect(eq(i64, method_of(2)->own_ns, 500 * (int64_t)MS));
    cr_expect(eq(i64, method_of(2)->waited_ns, 200 * (int64_t)MS));
    cr_expect(eq(u64, method_of(2)->ended, 1));
    cr_expect(eq(u64, method_of(2)->calls, 0)); /* it began before */
    cr_expect(eq(i64, live_method_mean(method_of(2)), 600 * (int64_t)MS));
    cr_expect(eq(i64, method_of(2)->running_ns, 0));
    /* 3 since 1750. */
    cr_expect(eq(i64, method_of(3)->own_ns, 250 * (int64_t)MS));
    cr_expect(eq(i64, method_of(3)->running_ns, 250 * (int64_t)MS));
    cr_expect(eq(u64, method_of(3)->calls, 1));
    cr_expect(eq(i64, live_method_mean(method_of(3)), 0));
    cr_expect(eq(u32, method_of(3)->inside, 1));
    /* What is left is 1's. */
    cr_expect(eq(i64, method_of(1)->own_ns, 250 * (int64_t)MS));
    cr_expect(eq(i64, method_of(1)->total_ns, 1000 * (int64_t)MS));
    cr_expect(eq(i64, method_of(1)->running_ns, 2000 * (int64_t)MS));
    cr_expect(eq(u32, method_of(1)->inside, 0));
}

static uint64_t make_length(uint32_t id, uint32_t request, uint64_t units, uint32_t calls)
{
    return (uint64_t)(id << 12 | request | abi_length_bucket(units)) << 32 | calls;
}

/* The row of method 2 is of calls alone; that of 4 is new. */
Test(recent, tells_how_long_requests_took)
{
    uint64_t lengths[] = {make_length(2, 0, MS, 7), make_length(3, ABI_LENGTH_REQUEST, 40 * MS, 90),
                          make_length(3, ABI_LENGTH_REQUEST, 100 * MS, 5),
                          make_length(4, ABI_LENGTH_REQUEST, MS, 50)};
    const struct live_kind *kinds;

    bench_requests.lengths = lengths;
    bench_requests.length_count = 3;
    look_at(&snapshots[0], &old);
    lengths[0] += 100;
    lengths[1] += 98;
    lengths[2] += 2;
    bench_requests.length_count = 4;
    look_at(&snapshots[1], &new);
    cr_assert(eq(int, live_recent_find(&recent, &snapshots[0], &snapshots[1], NULL), MB_OK));
    kinds = recent.kinds.items;
    cr_assert(eq(sz, MB_VEC_COUNT(&recent.kinds), 2));
    cr_expect(eq(u32, kinds[0].id, 3));
    cr_expect(eq(u64, kinds[0].ended, 100));
    cr_expect(lt(i64, kinds[0].p50_ns / (int64_t)MS, 42));
    cr_expect(gt(i64, kinds[0].p99_ns / (int64_t)MS, 97));
    cr_expect(eq(u32, kinds[1].id, 4));
    cr_expect(eq(u64, kinds[1].ended, 50));
}

Test(recent, tells_of_mutes)
{
    compare(&old, &new);
    cr_expect(eq(sz, recent.muted, 2));
    cr_expect(eq(sz, recent.newly_muted, 1));
    cr_expect(eq(u64, method_of(2)->muted, 4));
    cr_expect(eq(u64, method_of(1)->muted, 0));
}

Test(recent, tells_of_threads)
{
    const struct live_thread *row;

    compare(&old, &new);
    row = recent.threads.items;
    cr_assert(eq(sz, MB_VEC_COUNT(&recent.threads), 1));
    cr_expect(mb_text_is(row->name, "main"));
    cr_expect(eq(u32, row->innermost, 3));
    cr_expect(eq(i64, row->running_ns, 250 * (int64_t)MS));
    cr_expect(eq(i64, row->busy_ns, 1000 * (int64_t)MS));
    cr_expect(eq(i64, row->waited_ns, 200 * (int64_t)MS));
    cr_expect(eq(sz, recent.busy_threads, 1));
}

Test(recent, tells_callers_and_callees_of_one_method)
{
    const struct live_edge *edges;

    recent.focus = 1;
    compare(&old, &new);
    edges = recent.edges.items;
    cr_assert(eq(sz, MB_VEC_COUNT(&recent.edges), 3));
    cr_expect(eq(u32, edges[0].caller, LIVE_NO_METHOD));
    cr_expect(eq(i64, edges[0].total_ns, 1000 * (int64_t)MS));
    cr_expect(eq(u32, edges[1].callee, 2));
    cr_expect(eq(u32, edges[2].callee, 3));
    cr_expect(eq(u64, edges[2].calls, 1));
}

/* Figures that were read while they changed. */
Test(recent, stays_within_what_can_be)
{
    struct abi_profile_node jumped[3];
    struct bench_profile torn = new;

    memcpy(jumped, new_nodes, sizeof(jumped));
    jumped[0].child_total = 0; /* ten hours of own time in a second */
    jumped[0].total = UINT64_C(36000000) * MS;
    jumped[1].calls = 1; /* fewer than before */
    jumped[1].total = 10 * MS;
    torn.nodes = jumped;
    compare(&old, &torn);
    cr_expect(eq(i64, method_of(1)->own_ns, recent.interval_ns));
    cr_expect(eq(i64, method_of(1)->total_ns, recent.interval_ns));
    cr_expect(eq(u64, recent.calls, 1)); /* 3's */
}

Test(recent, several_threads_can_spend_more_than_the_interval)
{
    const struct abi_profile_thread two[] = {
        {.name = "a", .flags = ABI_PROFILE_VIRTUAL, .last_time = 2000 * MS, .thread_count = 2}};
    const struct abi_profile_node from[] = {{ABI_PROFILE_NO_NODE, 1, 0, 0, .total = 0}};
    const struct abi_profile_node to[] = {
        {ABI_PROFILE_NO_NODE, 1, 0, 0, .calls = 2, .total = 2000 * MS}};
    const struct bench_profile before = {old_threads, 1, from, 1, NULL, 0, 0, 0, 0};
    const struct bench_profile after = {two, 1, to, 1, NULL, 0, 0, 0, 0};

    compare(&before, &after);
    cr_expect(eq(i64, method_of(1)->own_ns, 2000 * (int64_t)MS));
}

Test(recent, is_empty_where_nothing_happened)
{
    static const struct bench_profile none = {old_threads, 1, old_nodes, 0, NULL, 0, 0, 0, 0};

    compare(&none, &none);
    cr_expect(eq(i64, recent.interval_ns, 0));
    cr_expect(eq(sz, MB_VEC_COUNT(&recent.methods), 0));
}

static const struct order_case {
    enum live_order order;
    uint32_t first;
} order_cases[] = {
    {LIVE_BY_WORK, 2},  {LIVE_BY_OWN, 2},  {LIVE_BY_WAITED, 2},  {LIVE_BY_TOTAL, 1},
    {LIVE_BY_CALLS, 3}, {LIVE_BY_MEAN, 2}, {LIVE_BY_THREADS, 1},
};

Test(recent, sorts)
{
    compare(&old, &new);
    for (size_t i = 0; i < MB_COUNT(order_cases); i++) {
        live_recent_sort(&recent, order_cases[i].order);
        const struct live_method *rows = recent.methods.items;
        cr_expect(eq(u32, rows[0].id, order_cases[i].first), "order %zu", i);
    }
}
