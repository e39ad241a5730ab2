/* The probes, seen through beat_copy. Criterion forks for each test, so each starts afresh. */
#include "abi/names.h"
#include "abi/record.h"
#include "abi/tracefile.h"
#include "recorder/methodbeat.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <unistd.h>

static uint64_t words[4096];

static void start(enum beat_clock clock)
{
    struct beat_options options;

    beat_options_init(&options);
    options.clock = clock;
    options.main_words = 1024;
    options.main_thread = (int32_t)gettid();
    cr_assert(beat_start(&options));
}

static size_t copy(void)
{
    size_t count = 4096;

    cr_assert(beat_copy(NULL, BEAT_SELF, words, &count));
    return count;
}

Test(probe, entries_and_exits_come_back_in_order)
{
    start(BEAT_CLOCK_AUTO);
    beat_i(1);
    beat_i(ABI_MAX_ID);
    beat_o(ABI_MAX_ID);
    beat_o(1);
    cr_assert(eq(sz, copy(), 4));
    cr_assert(eq(u64, words[0] & ~ABI_TIME_MASK, abi_record_head(1, true)));
    cr_assert(eq(u64, words[1] & ~ABI_TIME_MASK, abi_record_head(ABI_MAX_ID, true)));
    cr_assert(eq(u64, words[2] & ~ABI_TIME_MASK, abi_record_head(ABI_MAX_ID, false)));
    cr_assert(eq(u64, words[3] & ~ABI_TIME_MASK, abi_record_head(1, false)));
    for (int i = 1; i < 4; i++) {
        cr_assert(le(u64, abi_record_time(words[i - 1]), abi_record_time(words[i])));
    }
}

Test(probe, a_catch_is_two_words)
{
    start(BEAT_CLOCK_AUTO);
    beat_i(1);
    beat_i(2);
    beat_c(1);
    beat_c(ABI_MESSAGE_ID);
    beat_c(0);
    beat_o(1);
    cr_assert(eq(sz, copy(), 5));
    cr_assert(eq(u64, words[1] & ~ABI_TIME_MASK, abi_record_head(2, true)));
    cr_assert(eq(u64, words[2] & ~ABI_TIME_MASK, abi_record_head(ABI_CATCH_ID, false)));
    cr_assert(eq(u64, words[3] & ~ABI_TIME_MASK, abi_record_head(1, false)));
    cr_assert(eq(u64, words[4] & ~ABI_TIME_MASK, abi_record_head(1, false)));
}

Test(probe, ids_out_of_range_are_ignored)
{
    static const uint32_t bad[] = {0, 0xFFFFF, 0x100000, 0x80000001u, UINT32_MAX};

    start(BEAT_CLOCK_AUTO);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        beat_i(bad[i]);
        beat_o(bad[i]);
    }
    cr_assert(eq(sz, copy(), 0));
    beat_i(ABI_MESSAGE_ID);
    cr_assert(eq(sz, copy(), 1));
}

Test(probe, a_full_ring_keeps_the_newest)
{
    start(BEAT_CLOCK_AUTO);
    for (uint32_t id = 1; id <= 5000; id++) {
        beat_i(id);
    }
    cr_assert(eq(sz, copy(), 1023)); /* the oldest slot is where the next word goes */
    for (uint32_t i = 0; i < 1023; i++) {
        cr_assert(eq(u32, abi_record_id(words[i]), 5000 - 1022 + i));
    }
}

Test(probe, recording_begins_with_the_first_probe)
{
    cr_assert(not(beat_is_recording()));
    beat_i(5);
    cr_assert(beat_is_recording());
    cr_assert(eq(sz, copy(), 1));
    cr_assert(beat_start(NULL));
    beat_o(5);
    cr_assert(eq(sz, copy(), 2)); /* what came before the start is kept */
}

Test(probe, nothing_is_recorded_after_stop_and_all_of_it_after_restart)
{
    start(BEAT_CLOCK_AUTO);
    beat_i(1);
    beat_stop();
    beat_o(1);
    cr_assert(eq(sz, copy(), 1)); /* still there to be read */
    start(BEAT_CLOCK_AUTO);
    cr_assert(eq(sz, copy(), 0));
    beat_i(2);
    cr_assert(eq(sz, copy(), 1));
    cr_assert(eq(u32, abi_record_id(words[0]), 2));
}
