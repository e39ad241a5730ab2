/* While the drain's lock is held the keeper waits: what it finds afterwards is known to the
 * word. */
#include "recorder/drain.h"

#include "recorder/sections.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#define WORDS 1024u
#define HELD (WORDS - 1) /* the oldest slot is where the next word goes */

static void start_with(uint32_t slow_ms)
{
    struct beat_options options = traces_options(NULL);

    options.slow = slow_ms;
    options.threads = BEAT_THREADS_ALL;
    options.main_words = WORDS;
    options.thread_words = WORDS;
    options.profile = BEAT_ON;
    options.throttle = BEAT_OFF;
    cr_assert(beat_start(&options));
    beat_drain_lock();
}

static void start(void)
{
    start_with(0);
}

static const struct abi_trace_section *section(uint32_t kind)
{
    return beat_sections_find(beat_recorder.memory, kind);
}

static const struct abi_profile_thread *row(uint32_t index)
{
    const struct abi_trace_section *rows = section(ABI_SECTION_PROFILE_THREADS);
    const struct abi_profile_thread *all = beat_sections_records(beat_recorder.memory, rows);

    cr_assert(lt(u64, index, rows->written));
    return &all[index];
}

static const struct abi_profile_node *node(uint32_t index)
{
    const struct abi_trace_section *nodes = section(ABI_SECTION_PROFILE_NODES);
    const struct abi_profile_node *all = beat_sections_records(beat_recorder.memory, nodes);

    cr_assert(lt(u64, index, nodes->written));
    return &all[index];
}

static void call(uint32_t id, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        beat_i(id);
        beat_o(id);
    }
}

Test(drain, what_is_in_the_rings_is_in_the_profile)
{
    start();
    beat_i(1);
    call(2, 5);
    beat_drain_all();
    cr_assert(eq(u64, row(0)->words, 11));
    cr_assert(eq(u64, row(0)->position, 11));
    cr_assert(eq(u32, row(0)->flags & ~(ABI_PROFILE_BOUNDS | ABI_PROFILE_PARTS | ABI_PROFILE_READY),
                 ABI_PROFILE_MAIN));
    cr_assert(eq(u64, node(0)->calls, 0));
    cr_assert(gt(u64, node(0)->open_since, 0));
    cr_assert(eq(u64, node(1)->calls, 5));
    call(2, 1);
    beat_o(1);
    beat_drain_all(); /* goes on from there */
    cr_assert(eq(u64, row(0)->words, 14));
    cr_assert(eq(u64, node(0)->calls, 1));
    cr_assert(eq(u64, node(1)->calls, 6));
    cr_assert(eq(u64, row(0)->outer_time, node(0)->total));
    beat_drain_unlock();
}

Test(drain, what_was_lapped_is_counted_as_lost)
{
    start();
    beat_i(1);
    beat_drain_all();
    call(2, 2500);
    beat_drain_all();
    cr_assert(eq(u64, row(0)->words, 1 + HELD));
    cr_assert(eq(u64, row(0)->lost_words, 5000 - HELD));
    cr_assert(eq(u64, row(0)->position, 5001));
    beat_o(1);
    beat_drain_all();
    cr_assert(eq(u64, node(0)->calls, 1), "who was open still is");
    beat_drain_unlock();
}

/* Any lap, any half of it, in steps of any length. */
Test(drain, no_word_is_missing_at_the_end_of_a_lap_or_of_half_of_it)
{
    uint64_t words = 1;

    start();
    beat_i(1);
    for (uint32_t calls = 1; calls < HELD / 2; calls += 7) {
        call(2, calls);
        words += 2 * (uint64_t)calls;
        beat_drain_all();
        cr_assert(eq(u64, row(0)->words, words));
    }
    cr_assert(eq(u64, row(0)->lost_words, 0));
    cr_assert(eq(u64, node(1)->calls, words / 2));
    beat_drain_unlock();
}

static void *leave_open(void *unused)
{
    beat_i(5);
    call(6, 3);
    return unused; /* drained as it ends: nobody may hold the lock */
}

Test(drain, a_thread_is_complete_when_it_has_ended)
{
    pthread_t thread;

    start();
    beat_drain_unlock();
    beat_i(1);
    cr_assert(eq(int, pthread_create(&thread, NULL, leave_open, NULL), 0));
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
    beat_drain_lock();
    uint64_t row_count = section(ABI_SECTION_PROFILE_THREADS)->written;
    const struct abi_profile_thread *ended = row((uint32_t)row_count - 1);
    ended = (ended->flags & ABI_PROFILE_MAIN) != 0 ? row(0) : ended; /* whichever was seen first */
    cr_assert(eq(u64, ended->words, 7));
    cr_assert(ne(u32, ended->flags & ABI_PROFILE_ENDED, 0));
    cr_assert(eq(u32, ended->ring, 0));
    cr_assert(eq(u64, ended->inferred, 1), "the call that was open");
    cr_assert(gt(u64, ended->cpu_time, 0));
    beat_drain_unlock();
}

Test(drain, a_session_has_a_profile_of_its_own)
{
    start();
    call(1, 3);
    beat_drain_all();
    beat_drain_unlock();
    beat_stop();
    start();
    call(1, 2);
    beat_drain_all();
    cr_assert(eq(u64, row(0)->words, 4));
    cr_assert(eq(u64, node(0)->calls, 2));
    beat_drain_unlock();
}

Test(drain, a_round_is_due_again_unless_there_is_no_profile)
{
    struct beat_options options = traces_options(NULL);

    start();
    beat_drain_unlock();
    int64_t interval = beat_drain_round(0);
    cr_assert(gt(i64, interval, 0));
    cr_assert(le(i64, interval, 250000000));
    beat_stop();
    cr_assert(beat_start(&options));
    cr_assert(eq(i64, beat_drain_round(0), BEAT_DRAIN_NEVER));
}

/* ---- Slow requests ---- */

/* Forty quick ones, known as requests. */
static void know_requests(void)
{
    const struct timespec quarter = {.tv_nsec = 300000000};

    start();
    call(1, 1);
    beat_drain_all();
    cr_assert(eq(int, nanosleep(&quarter, NULL), 0));
    beat_drain_all();
    call(1, 40);
    beat_drain_all();
    cr_assert(ne(u32, node(0)->flags & ABI_PROFILE_REQUEST, 0));
}

static void sleep_in(uint32_t id)
{
    const struct timespec long_time = {.tv_nsec = 30000000};

    beat_i(id);
    cr_assert(eq(int, nanosleep(&long_time, NULL), 0));
    beat_o(id);
}

Test(drain, slow_requests_have_a_tree_and_a_row)
{
    know_requests();
    beat_i(1);
    call(2, 3);
    sleep_in(3);
    beat_drain_all(); /* words of before are read again */
    beat_o(1);
    call(1, 1);
    beat_drain_all();
    const struct abi_trace_section *rows = section(ABI_SECTION_PROFILE_SLOW);
    const struct abi_profile_slow *row = beat_sections_records(beat_recorder.memory, rows);
    const struct abi_trace_section *nodes = section(ABI_SECTION_PROFILE_SLOW_NODES);
    const struct abi_profile_node *slow = beat_sections_records(beat_recorder.memory, nodes);
    cr_assert(ge(u64, rows->written, 1));
    while (row->ids[0] != 3) { /* a quick one that had to wait for a processor */
        row++;
        cr_assert(lt(u64,
                     (uint64_t)(row - (const struct abi_profile_slow *)beat_sections_records(
                                          beat_recorder.memory, rows)),
                     rows->written));
    }
    cr_assert(eq(u32, row->id, 1));
    cr_assert(ge(u64, row->own[0], row->length / 2));
    cr_assert(eq(u64, row->flags & ABI_SLOW_USED, ABI_SLOW_USED));
    cr_assert(le(u64, row->worked, row->length / 2), "it slept");
    cr_assert(eq(u32, slow[0].id, 1));
    cr_assert(eq(u32, slow[0].parent, ABI_PROFILE_NO_NODE));
    cr_assert(eq(u64, slow[0].calls, rows->written));
    cr_assert(eq(u64, nodes->written, 3));
    cr_assert(eq(u64, slow[1].calls, 3));
    cr_assert(eq(u64, slow[2].total, row->own[0]));
    beat_drain_unlock();
    beat_stop();
}

static void work_in(uint32_t id)
{
    const clock_t end = clock() + CLOCKS_PER_SEC / 100;

    beat_i(id);
    while (clock() < end) {
    }
    beat_o(id);
}

/* The system counts what a thread runs a tick late, but a wait at once. */
Test(drain, slow_requests_without_a_wait_worked)
{
    struct abi_profile_slow row = {0};

    know_requests();
    beat_time(1, true);
    beat_i(1);
    work_in(3);
    beat_o(1);
    beat_drain_all();
    const struct abi_trace_section *rows = section(ABI_SECTION_PROFILE_SLOW);
    const struct abi_profile_slow *from = beat_sections_records(beat_recorder.memory, rows);
    for (uint64_t i = 0; i < rows->written && row.ids[0] != 3; i++) {
        row = from[i];
    }
    beat_drain_unlock();
    beat_stop();
    cr_assert(eq(u32, row.ids[0], 3));
    cr_expect(eq(u64, row.flags, ABI_SLOW_USED | ABI_SLOW_READY));
    cr_expect(eq(u64, row.worked + row.ready, row.length));
}

/* A kind with many slow requests leaves the others their rows, though they take longer. */
Test(drain, slow_requests_share_the_rows_by_kind)
{
    struct timespec pause = {0};
    uint64_t counts[3] = {0};

    start_with(1);
    call(2, 1);
    for (int i = 0; i < 1540; i++) {
        uint32_t id = i < 1500 ? 1 : 2;
        pause.tv_nsec = id == 1 ? 1600000 : 1000000;
        beat_i(id);
        cr_assert(eq(int, nanosleep(&pause, NULL), 0));
        beat_o(id);
        beat_drain_all();
    }
    const struct abi_trace_section *rows = section(ABI_SECTION_PROFILE_SLOW);
    const struct abi_profile_slow *row = beat_sections_records(beat_recorder.memory, rows);
    cr_expect(eq(u64, rows->written, 1024));
    for (uint64_t i = 0; i < rows->written; i++) {
        cr_assert(le(u32, row[i].id, 2));
        counts[row[i].id]++;
    }
    cr_expect(eq(u64, counts[2], 40));
    beat_drain_unlock();
    beat_stop();
}

Test(drain, slow_requests_that_outlived_their_ring_are_counted)
{
    know_requests();
    uint64_t before = section(ABI_SECTION_PROFILE_SLOW)->written;
    beat_i(1);
    sleep_in(3);
    beat_drain_all();
    for (uint32_t i = 0; i < 4; i++) {
        call(2, WORDS / 4);
        beat_drain_all();
    }
    beat_o(1);
    beat_drain_all();
    cr_assert(eq(u64, section(ABI_SECTION_PROFILE_SLOW)->written, before));
    cr_assert(ge(u64, section(ABI_SECTION_PROFILE_SLOW)->lost, 1));
    beat_drain_unlock();
    beat_stop();
}
