#include "monitor/stall.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct mon_gaps no_gaps;
static struct mon_samples samples;
static struct mon_hottest hottest;

/* Each letter is a sample with that top function, below it 100 + its number and always 1. */
static void sample(const char *tops, int64_t step_ns)
{
    samples.count = 0;
    for (uint32_t i = 0; tops[i] != '\0'; i++) {
        struct mon_frames frames = {.count = 3, .names = {(uint32_t)tops[i], 100 + i, 1}};
        mon_samples_add(&samples, i * step_ns, &frames, (uint32_t)tops[i]);
    }
}

static uint32_t find(const char *tops)
{
    sample(tops, 50);
    mon_find_hottest(&samples, (int64_t)strlen(tops) * 50, &no_gaps, &hottest);
    return hottest.frames != NULL ? hottest.frames->names[0] : 0;
}

Test(hottest, is_the_function_seen_most)
{
    cr_assert(eq(u32, find(""), 0));
    cr_assert(eq(u32, find("a"), 'a'));
    cr_assert(eq(u32, find("abcb"), 'b'));
    cr_assert(eq(u32, find("aab"), 'a'));
    cr_assert(eq(i64, hottest.weight_ns, 100));
    cr_assert(eq(i64, hottest.of_ns, 150));
}

Test(hottest, of_equals_is_the_latest)
{
    cr_assert(eq(u32, find("aabb"), 'b'));
    cr_assert(eq(u32, find("abab"), 'b'));
    cr_assert(eq(u32, hottest.frames->names[1], 103), "its latest stack");
    cr_assert(eq(u32, find("aabc"), 'a'));
    cr_assert(eq(u32, hottest.frames->names[1], 101));
}

Test(hottest, only_the_last_20_count)
{
    cr_assert(eq(u32, find("aaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbb"), 'b'));
    cr_assert(eq(u32, hottest.samples, 20));
    cr_assert(eq(u32, find("aaab"), 'a'));
    cr_assert(eq(u32, hottest.samples, 4));
}

Test(hottest, weighs_by_time)
{
    sample("aaab", 50);
    mon_find_hottest(&samples, 1000, &no_gaps, &hottest);
    cr_assert(eq(u32, hottest.frames->names[0], 'b'), "850 of 1000");
    cr_assert(eq(i64, hottest.weight_ns, 850));
}

Test(hottest, gaps_weigh_nothing)
{
    struct mon_gaps gaps = {.count = 0};

    (void)mon_gaps_add(&gaps, 160, 990);
    sample("aaab", 50);
    mon_find_hottest(&samples, 1000, &gaps, &hottest);
    cr_assert(eq(u32, hottest.frames->names[0], 'a'));
    cr_assert(eq(i64, hottest.of_ns, 170));
}

Test(hottest, counts_the_samples_with_each_frame)
{
    cr_assert(eq(u32, find("aab"), 'a'));
    cr_assert(eq(u32, hottest.repeats[0], 2));
    cr_assert(eq(u32, hottest.repeats[1], 1));
    cr_assert(eq(u32, hottest.repeats[2], 3));
}
