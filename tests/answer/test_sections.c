#include "answer/sections.h"

#include "bench.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct abi_profile_thread threads[] = {{.name = "main", .last_time = 100}};
static const struct abi_profile_node nodes[] = {
    {ABI_PROFILE_NO_NODE, 1, 0, 0, .calls = 2, .total = 90},
    {7, 1, 0, 0, .calls = 1, .total = 9},
};
static const struct abi_profile_mute mutes[] = {{.id = 3, .calls = 5}};
static const struct bench_profile whole = {threads, 1, nodes, 1, mutes, 1, 0, 0, 0};

static struct answer_trace trace;
static struct answer_sections sections;

static void begin(void)
{
    static const struct bench_thread ring[] = {{"main", {IN(1, 0), OUT(1, 1)}, true}};

    bench_begin();
    bench_write_trace("t", ring, 1, 0);
}

static void end(void)
{
    answer_sections_finish(&sections);
    answer_trace_finish(&trace);
    bench_end();
}

TestSuite(sections, .init = begin, .fini = end);

static void find(const struct bench_profile *profile)
{
    const struct answer_source source = {.path = bench_path("t")};

    if (profile != NULL) {
        bench_add_profile("t", profile);
    }
    cr_assert(eq(int, answer_trace_load(&trace, &source, NULL), MB_OK));
    cr_assert(eq(int, answer_sections_find(&sections, &trace, NULL), MB_OK));
    cr_assert(eq(int, answer_sections_make_trees(&sections, 100, NULL), MB_OK));
}

Test(sections, a_trace_of_the_ring_has_none)
{
    find(NULL);
    cr_expect(not(sections.are_there));
    cr_expect(not(sections.is_damaged));
    cr_expect(eq(u64, sections.missing, 0));
}

Test(sections, have_threads_nodes_and_mutes)
{
    size_t count = 0;

    find(&whole);
    cr_expect(sections.are_there);
    cr_expect(eq(sz, sections.source.thread_count, 1));
    cr_assert(eq(sz, sections.mute_count, 1));
    cr_expect(eq(u32, sections.mutes[0].id, 3));
    cr_expect(eq(u64, trace_trees_of(&sections.trees, 0, &count)->calls, 2));
    cr_expect(eq(sz, count, 1));
    cr_expect(eq(u64, sections.missing, 0));
}

Test(sections, count_what_is_missing)
{
    struct bench_profile profile = whole;

    profile.node_count = 2; /* the second has a caller that is none */
    profile.lost = 4;
    find(&profile);
    cr_expect(eq(u64, sections.missing, 1));
    cr_expect(eq(u64, sections.lost_threads, 4));
    cr_expect(eq(u64, sections.absorbed_calls, 4));
    cr_expect(eq(u64, sections.lost_mutes, 4));
    cr_expect(not(sections.is_damaged));
}

Test(sections, are_bounded_by_the_file)
{
    struct bench_profile profile = whole;

    profile.more = UINT64_C(1) << 40;
    find(&profile);
    cr_expect(gt(u64, sections.missing, UINT64_C(1) << 40));
}

Test(sections, of_another_shape_are_damaged)
{
    struct bench_profile profile = whole;

    profile.record_size = 24;
    find(&profile);
    cr_expect(sections.is_damaged);
    cr_expect(sections.are_there, "the threads make sense");
    cr_expect(eq(sz, sections.source.node_count, 0));
}

/* A file of rows alone must not take a report hours. */
Test(sections, have_threads_up_to_a_limit)
{
    static struct abi_profile_thread many[16384 + 3];
    struct bench_profile profile = whole;

    profile.threads = many;
    profile.thread_count = MB_COUNT(many);
    find(&profile);
    cr_expect(eq(sz, sections.source.thread_count, 16384));
    cr_expect(eq(u64, sections.missing, 3));
}
