/* Which rings belong to which rows of a profile, and what of each the report takes. */

#include "answer/model.h"
#include "bench.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define MS UINT64_C(1000000)
#define NONE ABI_PROFILE_NO_NODE

static const struct bench_thread rings[] = {
    {"main", {IN(1, 0), OUT(1, 500)}, true},
    {"shared", {IN(2, 0), OUT(2, 600)}, false},
    {"late", {IN(3, 0), OUT(3, 7)}, false},
    {"Thread-7", {IN(2, 0), OUT(2, 3)}, false}, /* its row has another's name by now */
    {"gone", {IN(2, 0), OUT(2, 2)}, false},     /* no keeper saw it */
};
static const struct abi_profile_thread rows[] = {
    {.name = "shared", .thread_id = 90, .thread_count = 2, .last_time = 900 * MS, .lost_words = 4},
    {.name = "main",
     .thread_id = 70,
     .flags = ABI_PROFILE_MAIN,
     .ring = 1,
     .claim = 1,
     .position = 1,
     .words = 30,
     .first_time = MS,
     .last_time = 1000 * MS,
     .cpu_ns = 400 * MS,
     .cpu_time = 1000 * MS,
     .inferred = 3,
     .thread_count = 1},
    {.name = "gone", .thread_id = 91, .ring = 3, .claim = 8, .flags = ABI_PROFILE_ENDED},
};
static const struct abi_profile_node nodes[] = {
    {NONE, 2, 0, 0, .calls = 7, .total = 800 * MS, .longest = 600 * MS},
    {NONE, 1, 1, 0, .calls = 9, .total = 990 * MS, .child_total = 90 * MS},
    {1, 2, 1, 0, .calls = 5, .total = 90 * MS},
};
static const struct bench_profile profile = {rows, 3, nodes, 3, NULL, 0, 0, 0, 0};

static struct answer_trace trace;
static struct answer_model model;

static void begin(void)
{
    bench_begin();
    bench_write_trace("t", rings, MB_COUNT(rings), 0);
    bench_add_profile("t", &profile);
    bench_drain_ring("t", 1, 2);
    bench_drain_ring("t", 3, 1);
    const struct answer_source source = {.path = bench_path("t")};
    cr_assert(eq(int, answer_trace_load(&trace, &source, NULL), MB_OK));
}

static void end(void)
{
    answer_model_finish(&model);
    answer_trace_finish(&trace);
    bench_end();
}

TestSuite(threads, .init = begin, .fini = end);

static const struct answer_facts *build(const struct answer_options *options)
{
    cr_assert(eq(int, answer_model_build(&model, &trace, options, NULL, NULL), MB_OK));
    return &model.facts;
}

/* The main thread first, then rows, then rings that no row accounts for. */
Test(threads, are_rows_and_rings_without_one)
{
    const struct answer_facts *facts = build(&(struct answer_options){.threshold_ns = 1});
    static const char *const names[] = {"main", "shared", "gone", "late", "gone"};

    cr_assert(eq(sz, facts->threads.count, MB_COUNT(names)));
    for (size_t i = 0; i < MB_COUNT(names); i++) {
        cr_expect(mb_text_is(facts->threads.rows[i].name, names[i]), "%zu", i);
        cr_expect(eq(int, facts->threads.rows[i].is_profiled, i < 3));
    }
    cr_expect(eq(sz, facts->messages.slow_count, 5),
              "one call of each ring, also of a shared row's");
    cr_expect(facts->recording.has_profile);
}

Test(threads, of_the_profile_have_their_whole_run)
{
    const struct answer_thread *main =
        build(&(struct answer_options){.threshold_ns = 1})->threads.rows;

    cr_expect(eq(u64, main->calls, 14));
    cr_expect(eq(i64, main->time.busy_ns, (int64_t)(990 * MS)));
    cr_expect(eq(i64, main->time.waited_ns, (int64_t)(590 * MS)));
    cr_expect(main->time.has_cpu);
    cr_expect(eq(u64, main->time.start_ns, MS));
    cr_expect(eq(u64, main->time.end_ns, 1000 * MS));
    cr_expect(eq(u64, main->time.ring_end_ns, 500 * MS));
    cr_expect(eq(u64, main->losses->read.words, 30));
    cr_expect(eq(u64, main->losses->read.inferred_exits, 3));
    cr_expect(eq(u64, main->losses->unseen_words, 1), "in the ring, and not in the profile yet");
    cr_expect(eq(u64, model.facts.threads.rows[1].losses->unseen_words, 4));
    cr_expect(eq(u64, model.facts.threads.rows[1].member_count, 2));
}

Test(threads, are_found_by_name_and_id)
{
    cr_expect(eq(sz, build(&(struct answer_options){.thread = "90"})->threads.count, 1));
    answer_model_finish(&model);
    model = (struct answer_model){0};
    cr_expect(eq(sz, build(&(struct answer_options){.thread = "late"})->threads.count, 1));
}
