#include "base/clock.h"
#include "monitor/stall.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define S INT64_C(1000000000)

static struct mon_often often;
static struct mon_options options;

static void set_up(void)
{
    memset(&often, 0, sizeof(often));
    mon_options_init(&options);
    cr_assert(mon_options_set(&options, "often", "2000x1,300x5"));
}

TestSuite(often, .init = set_up);

static uint32_t add(int64_t end_ns, int64_t length_ms, uint64_t key)
{
    const struct mon_frames frames = {.count = 2, .names = {(uint32_t)key, (uint32_t)(end_ns / S)}};
    const struct mon_often_stall stall = {.end_ns = end_ns,
                                          .length_ns = length_ms * MB_NS_PER_MS,
                                          .key = key,
                                          .frames = key != 0 ? &frames : NULL,
                                          .is_told = length_ms >= 700};

    return mon_often_add(&often, &stall, &options);
}

Test(often, five_within_the_window_are_one_alarm)
{
    for (int64_t i = 0; i < 4; i++) {
        cr_assert(eq(u32, add(i * 15 * S, 300, 0), 0));
    }
    cr_assert(eq(u32, add(60 * S, 300, 0), 2));
    for (int64_t i = 0; i < 4; i++) {
        cr_assert(eq(u32, add((61 + i) * S, 300, 0), 0), "the next needs five new ones");
    }
    cr_assert(eq(u32, add(65 * S, 300, 0), 2));
}

Test(often, five_over_more_than_the_window_are_none)
{
    for (int64_t i = 0; i < 4; i++) {
        cr_assert(eq(u32, add(i * 15 * S, 300, 0), 0));
    }
    cr_assert(eq(u32, add(61 * S, 300, 0), 0));
    cr_assert(eq(u32, add(62 * S, 300, 0), 2), "but the last five are");
}

Test(often, shorter_ones_do_not_count)
{
    for (int64_t i = 0; i < 100; i++) {
        cr_assert(eq(u32, add(i * S, 299, 0), 0));
    }
}

Test(often, one_that_is_told_needs_no_other)
{
    cr_assert(eq(u32, add(1 * S, 2500, 0), 0));
    cr_assert(mon_options_set(&options, "often", "400x1"));
    cr_assert(eq(u32, add(2 * S, 500, 0), 1), "one that nobody else tells");
}

Test(often, has_the_stack_of_most)
{
    (void)add(1 * S, 300, 8);
    (void)add(2 * S, 300, 7);
    (void)add(3 * S, 300, 0);
    (void)add(4 * S, 300, 7);
    cr_assert(eq(u32, add(5 * S, 300, 9), 2));
    const struct mon_frames *frames = mon_often_stack(&often, 1, &options);
    cr_assert_not_null(frames);
    cr_assert(eq(u32, frames->names[0], 7));
    cr_assert(eq(u32, frames->names[1], 4), "the latest");
}

Test(often, may_have_none)
{
    for (int64_t i = 0; i < 5; i++) {
        (void)add(i * S, 300, 0);
    }
    cr_assert_null(mon_often_stack(&often, 1, &options));
}

Test(often, sums_their_times)
{
    int64_t begin;
    int64_t total;

    for (int64_t i = 0; i < 5; i++) {
        (void)add((2 + i) * S, 300 + i * 100, 0);
    }
    mon_often_times(&often, 1, &options, &begin, &total);
    cr_assert(eq(i64, begin, 2 * S - 300 * MB_NS_PER_MS));
    cr_assert(eq(i64, total, 2500 * MB_NS_PER_MS));
}
