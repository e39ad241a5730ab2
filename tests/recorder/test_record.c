/* The probes, seen through beat_copy. Criterion forks for each test, so each starts afresh. */
#include "abi/names.h"
#include "abi/record.h"
#include "abi/tracefile.h"
#include "recorder/clock.h"
#include "recorder/methodbeat.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static uint64_t words[4096];

static void start(enum beat_clock clock, uint32_t min_ns)
{
    struct beat_options options;

    beat_options_init(&options);
    options.clock = clock;
    options.min_ns = min_ns;
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

static void pause_ms(long ms)
{
    struct timespec t = {.tv_nsec = ms * 1000000};

    nanosleep(&t, NULL);
}

Test(record, entries_and_exits_come_back_in_order)
{
    start(BEAT_CLOCK_AUTO, 0);
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

Test(record, ids_out_of_range_are_ignored)
{
    static const uint32_t bad[] = {0, 0xFFFFF, 0x100000, 0x80000001u, UINT32_MAX};

    start(BEAT_CLOCK_AUTO, 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        beat_i(bad[i]);
        beat_o(bad[i]);
    }
    cr_assert(eq(sz, copy(), 0));
    beat_i(ABI_MESSAGE_ID);
    cr_assert(eq(sz, copy(), 1));
}

Test(record, a_full_ring_keeps_the_newest)
{
    start(BEAT_CLOCK_AUTO, 0);
    for (uint32_t id = 1; id <= 5000; id++) {
        beat_i(id);
    }
    cr_assert(eq(sz, copy(), 1023)); /* the oldest slot is where the next word goes */
    for (uint32_t i = 0; i < 1023; i++) {
        cr_assert(eq(u32, abi_record_id(words[i]), 5000 - 1022 + i));
    }
}

Test(record, recording_begins_with_the_first_probe)
{
    cr_assert(not(beat_is_recording()));
    beat_i(5);
    cr_assert(beat_is_recording());
    cr_assert(eq(sz, copy(), 1));
    cr_assert(beat_start(NULL));
    beat_o(5);
    cr_assert(eq(sz, copy(), 2)); /* what came before the start is kept */
}

Test(record, nothing_is_recorded_after_stop_and_all_of_it_after_restart)
{
    start(BEAT_CLOCK_AUTO, 0);
    beat_i(1);
    beat_stop();
    beat_o(1);
    cr_assert(eq(sz, copy(), 1)); /* still there to be read */
    start(BEAT_CLOCK_AUTO, 0);
    cr_assert(eq(sz, copy(), 0));
    beat_i(2);
    cr_assert(eq(sz, copy(), 1));
    cr_assert(eq(u32, abi_record_id(words[0]), 2));
}

Test(record, short_calls_vanish_with_min_ns_and_so_do_their_short_callers)
{
    start(BEAT_CLOCK_COUNTER, 500000000);
    beat_i(1);
    for (int i = 0; i < 10; i++) {
        beat_i(2);
        beat_i(3);
        beat_o(3);
        beat_o(2);
    }
    cr_assert(eq(sz, copy(), 1));
    beat_i(4);
    pause_ms(600);
    beat_o(4);
    beat_o(1);
    cr_assert(eq(sz, copy(), 4));
    cr_assert(eq(u32, abi_record_id(words[1]), 4));
    cr_assert(eq(u32, abi_record_id(words[3]), 1));
}

Test(record, min_ns_takes_back_only_the_matching_entry)
{
    start(BEAT_CLOCK_COUNTER, 4000000000);
    beat_i(1);
    beat_o(2);
    beat_o(1); /* its entry is no longer the newest */
    cr_assert(eq(sz, copy(), 3));
    beat_o(1); /* the newest is an exit */
    cr_assert(eq(sz, copy(), 4));
}

Test(record, min_ns_works_at_the_end_of_the_ring)
{
    start(BEAT_CLOCK_COUNTER, 4000000000);
    for (uint32_t id = 1; id <= 1024; id++) {
        beat_i(id);
    }
    beat_i(7); /* slot 0 of the next lap */
    beat_o(7);
    beat_o(1024); /* its entry lies in the lap before, and stays */
    size_t count = copy();
    cr_assert(eq(u32, abi_record_id(words[count - 2]), 1024));
    cr_assert(abi_record_is_enter(words[count - 2]));
    cr_assert(not(abi_record_is_enter(words[count - 1])));
}

static uint64_t refreshed(uint64_t coarse_time)
{
    struct abi_trace_header header = {0};

    beat_clock_begin(&header, ABI_CLOCK_COARSE, 5);
    header.coarse_time = coarse_time;
    beat_clock_refresh(&header);
    return header.coarse_time;
}

/* A thread may lose the CPU after it has read the time, and another refresh the clock meanwhile. */
Test(record, the_coarse_clock_never_goes_back)
{
    const uint64_t minutes = 300000000;

    cr_assert(lt(u64, refreshed(1), minutes));
    cr_assert(eq(u64, refreshed(minutes), minutes));
    cr_assert(lt(u64, refreshed(ABI_TIME_MASK - 1), minutes)); /* from the end to the start */
    cr_assert(eq(u64, refreshed(0), 0));                       /* it was stopped */
}

/* The ticker is a thread that wants the CPU in time. Try again where others have it; what the clock
 * never does it does not do in any of the attempts. */
#define ATTEMPTS 50

static int64_t now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static bool coarse_time_moves(void)
{
    int64_t begin_us = now_us();

    start(BEAT_CLOCK_COARSE, 0);
    beat_i(1);
    pause_ms(50);
    beat_o(1);
    int64_t all_us = now_us() - begin_us;
    cr_assert(eq(sz, copy(), 2));
    uint64_t elapsed_us = abi_record_elapsed(words[0], words[1]);
    cr_assert(le(u64, elapsed_us, (uint64_t)all_us + 1));
    beat_stop();
    return elapsed_us >= 30000;
}

Test(record, coarse_time_moves_while_no_message_was_seen)
{
    int attempt = 0;

    while (attempt < ATTEMPTS && !coarse_time_moves()) {
        attempt++;
    }
    cr_assert(lt(int, attempt, ATTEMPTS));
}

static bool coarse_time_rests_and_ticks(void)
{
    start(BEAT_CLOCK_COARSE, 0);
    beat_i(ABI_MESSAGE_ID);
    beat_o(ABI_MESSAGE_ID);
    pause_ms(30); /* the ticker comes to rest */
    beat_i(1);
    pause_ms(30);
    beat_i(2); /* no message runs: same time */
    beat_i(ABI_MESSAGE_ID);
    pause_ms(30);
    beat_i(3); /* it ticks again */
    beat_o(ABI_MESSAGE_ID);
    cr_assert(eq(sz, copy(), 7));
    beat_stop();
    /* Messages make the clock exact, and need no ticker for that. */
    cr_assert(ge(u64, abi_record_elapsed(words[1], words[4]), 59999));
    return abi_record_elapsed(words[2], words[3]) == 0 &&
           abi_record_elapsed(words[3], words[4]) >= 50000 &&
           abi_record_elapsed(words[4], words[5]) >= 10000;
}

Test(record, messages_refresh_the_coarse_clock_and_let_it_rest)
{
    int attempt = 0;

    while (attempt < ATTEMPTS && !coarse_time_rests_and_ticks()) {
        attempt++;
    }
    cr_assert(lt(int, attempt, ATTEMPTS));
}

static void *record_elsewhere(void *recorded)
{
    size_t count = 4096;

    beat_i(9);
    beat_o(9);
    *(bool *)recorded =
        beat_copy(NULL, BEAT_SELF, words, &count) && count == 2 && abi_record_id(words[0]) == 9;
    return NULL;
}

static bool other_thread_records(enum beat_threads threads)
{
    struct beat_options options;
    pthread_t thread;
    bool recorded;

    beat_options_init(&options);
    options.threads = threads;
    options.main_thread = (int32_t)gettid();
    cr_assert(beat_start(&options));
    cr_assert(eq(int, pthread_create(&thread, NULL, record_elsewhere, &recorded), 0));
    pthread_join(thread, NULL);
    return recorded;
}

Test(record, other_threads_record_only_when_asked_to)
{
    cr_assert(other_thread_records(BEAT_THREADS_ALL));
    beat_stop();
    cr_assert(not(other_thread_records(BEAT_THREADS_MAIN)));
}
