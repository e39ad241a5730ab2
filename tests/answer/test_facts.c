#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

Test(facts, units_become_nanoseconds)
{
    cr_assert(eq(i64, answer_ns(&sample_report.clock, 3), 6000000));
    cr_assert(eq(i64, answer_ns(&sample_report.clock, -3), -6000000));
    cr_assert(eq(i64, answer_ns(&sample_report.clock, 0), 0));
}

static void expect_order(enum answer_order order, const uint32_t ids[3])
{
    struct trace_method *rows = answer_sort_methods(sample_methods, 3, order);

    cr_assert(ne(ptr, rows, NULL));
    for (size_t i = 0; i < 3; i++) {
        cr_expect(eq(u32, rows[i].id, ids[i]), "order %d, row %zu", (int)order, i);
    }
    free(rows);
}

Test(facts, methods_sort_by_each_column_then_by_id)
{
    expect_order(ANSWER_BY_SELF, (const uint32_t[]){2, 3, 1});
    expect_order(ANSWER_BY_CALLS, (const uint32_t[]){3, 1, 2});
    free(answer_sort_methods(NULL, 0, ANSWER_BY_SELF));
}

Test(facts, sums_are_those_of_all_threads)
{
    const struct answer_thread threads[] = {
        {.calls = 1,
         .losses =
             &(struct answer_losses){.read = {.words = 2, .lost_exits = 1, .inferred_exits = 4}},
         .time.start_ns = 50,
         .time.end_ns = 60},
        {.calls = 0,
         .losses = &(struct answer_losses){.lapped_words = 5},
         .time.start_ns = 1,
         .time.end_ns = 1},
        {.calls = 3,
         .losses = &(struct answer_losses){.missing_words = 9},
         .time.start_ns = 40,
         .time.end_ns = 90},
    };
    struct answer_facts all = sample_report;

    all.threads.rows = threads;
    all.threads.count = 3;
    struct answer_sums sums = answer_sum(&all.threads);
    cr_expect(eq(u64, sums.losses.read.words, 2));
    cr_expect(eq(u64, sums.losses.lapped_words, 5));
    cr_expect(eq(u64, sums.losses.missing_words, 9));
    cr_expect(eq(u64, sums.losses.read.lost_exits, 1));
    cr_expect(eq(u64, sums.losses.read.inferred_exits, 4));
    cr_expect(eq(u64, sums.calls, 4));
    cr_expect(eq(u64, sums.start_ns, 40), "a thread without calls has no start");
    cr_expect(eq(u64, sums.end_ns, 90));
    all.threads.count = 0;
    sums = answer_sum(&all.threads);
    cr_expect(eq(u64, sums.end_ns - sums.start_ns, 0));
}
