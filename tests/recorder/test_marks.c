#include "abi/record.h"
#include "recorder/methodbeat.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <unistd.h>

static uint64_t words[4096];

static void start(void)
{
    struct beat_options options;

    beat_options_init(&options);
    options.main_words = 1024;
    options.main_thread = (int32_t)gettid();
    cr_assert(beat_start(&options));
}

static void record(uint32_t first, uint32_t count)
{
    for (uint32_t id = first; id < first + count; id++) {
        beat_i(id);
    }
}

Test(marks, a_copy_starts_at_the_mark)
{
    size_t count = 4096;

    start();
    record(1, 10);
    struct beat_mark mark = beat_mark(BEAT_SELF, "test");
    record(11, 5);
    cr_assert(beat_copy(&mark, BEAT_SELF, words, &count));
    cr_assert(eq(sz, count, 5));
    cr_assert(eq(u32, abi_record_id(words[0]), 11));
    count = 2; /* the newest, when there is little room */
    cr_assert(beat_copy(&mark, BEAT_SELF, words, &count));
    cr_assert(eq(sz, count, 2));
    cr_assert(eq(u32, abi_record_id(words[0]), 14));
}

Test(marks, lapping_ends_a_mark)
{
    size_t count = 4096;

    start();
    record(1, 10);
    struct beat_mark mark = beat_mark(BEAT_SELF, "test");
    record(100, 1023);
    cr_assert(beat_mark_is_valid(&mark));
    record(1, 1);
    cr_assert(not(beat_mark_is_valid(&mark)));
    cr_assert(not(beat_copy(&mark, BEAT_SELF, words, &count)));
    cr_assert(eq(sz, count, 0));
}

Test(marks, a_restart_ends_a_mark)
{
    start();
    record(1, 1);
    struct beat_mark mark = beat_mark(BEAT_MAIN, "test");
    beat_stop();
    cr_assert(beat_mark_is_valid(&mark));
    start();
    record(1, 1);
    cr_assert(not(beat_mark_is_valid(&mark)));
    beat_unmark(&mark);
}

Test(marks, a_null_mark_is_not_valid)
{
    struct beat_mark mark = {0};

    cr_assert(not(beat_mark_is_valid(&mark)));
    start();
    cr_assert(not(beat_mark_is_valid(&mark)));
}

Test(marks, slots_of_the_file_are_reused)
{
    start();
    for (int i = 0; i < 1000; i++) {
        struct beat_mark mark = beat_mark(BEAT_SELF, "test");
        cr_assert(ne(u32, mark.slot, 0));
        beat_unmark(&mark);
    }
    for (int i = 0; i < 1000; i++) {
        (void)beat_mark(BEAT_SELF, "never taken out");
    }
    struct beat_mark mark = beat_mark(BEAT_SELF, "no slot");
    cr_assert(eq(u32, mark.slot, 0));
    cr_assert(beat_mark_is_valid(&mark));
    record(1, 1025); /* laps them all */
    mark = beat_mark(BEAT_SELF, "a slot again");
    cr_assert(ne(u32, mark.slot, 0));
}
