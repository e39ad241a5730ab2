#include "recorder/here.h"

#include "abi/record.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <unistd.h>

#define ROOM 4096

static uint64_t words[ROOM];
static struct beat_copied copied;

static void start(enum beat_clock clock)
{
    struct beat_options options;

    beat_options_init(&options);
    options.main_words = 1024;
    options.thread_words = 1024;
    options.threads = BEAT_THREADS_ALL;
    options.clock = clock;
    options.main_thread = (int32_t)gettid();
    cr_assert(beat_start(&options));
}

static void record(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        beat_i(7);
        beat_o(7);
    }
}

static bool is_message(uint64_t word, bool enters)
{
    return abi_record_id(word) == BEAT_MESSAGE_ID && abi_record_is_enter(word) == enters;
}

Test(here, starts_no_recording)
{
    struct beat_here here = beat_here_enter();

    cr_assert(here.ring == NULL);
    cr_assert(not(beat_is_recording()));
    cr_assert(not(beat_here_copy(&here, BEAT_TO_THE_END, words, ROOM, &copied)));
    here = beat_here_leave();
    cr_assert(here.ring == NULL);
}

Test(here, copies_a_message)
{
    start(BEAT_CLOCK_AUTO);
    record(5);
    struct beat_here begin = beat_here_enter();
    record(2);
    struct beat_here end = beat_here_leave();
    record(5);
    cr_assert(beat_here_copy(&begin, end.position, words, ROOM, &copied));
    cr_assert(eq(sz, copied.count, 6));
    cr_assert(eq(u64, copied.first, begin.position));
    cr_assert(not(copied.is_lapped));
    cr_assert(is_message(words[0], true));
    cr_assert(is_message(words[5], false));
    cr_assert(beat_here_copy(&begin, BEAT_TO_THE_END, words, ROOM, &copied));
    cr_assert(eq(sz, copied.count, 16));
}

/* What is left of it, and that it is not all. */
Test(here, says_that_it_was_lapped)
{
    start(BEAT_CLOCK_AUTO);
    struct beat_here begin = beat_here_enter();
    record(1000);
    struct beat_here end = beat_here_leave();
    cr_assert(beat_here_copy(&begin, end.position, words, ROOM, &copied));
    cr_assert(copied.is_lapped);
    cr_assert(eq(u64, copied.first + copied.count, end.position));
    cr_assert(ge(sz, copied.count, 1000));
    cr_assert(is_message(words[copied.count - 1], false));
}

Test(here, copies_the_newest_into_little_room)
{
    start(BEAT_CLOCK_AUTO);
    struct beat_here begin = beat_here_enter();
    record(100);
    struct beat_here end = beat_here_leave();
    cr_assert(beat_here_copy(&begin, end.position, words, 10, &copied));
    cr_assert(copied.is_lapped);
    cr_assert(eq(sz, copied.count, 10));
    cr_assert(is_message(words[9], false));
}

Test(here, ends_with_its_session)
{
    start(BEAT_CLOCK_AUTO);
    struct beat_here begin = beat_here_enter();
    record(1);
    beat_stop();
    struct beat_here end = beat_here_leave();
    cr_assert(end.ring == NULL);
    cr_assert(beat_here_copy(&begin, BEAT_TO_THE_END, words, ROOM, &copied)); /* still there */
    start(BEAT_CLOCK_AUTO);
    record(3);
    cr_assert(not(beat_here_copy(&begin, BEAT_TO_THE_END, words, ROOM, &copied)));
}

static const struct abi_trace_mark *mark_of(const struct beat_mark *mark)
{
    return &beat_recorder.marks[mark->slot - 1];
}

Test(here, marks_a_message_that_is_over)
{
    start(BEAT_CLOCK_AUTO);
    record(3);
    struct beat_here begin = beat_here_enter();
    record(2);
    struct beat_here end = beat_here_leave();
    record(1);
    struct beat_mark first = beat_here_mark(&begin, "5f1c-17");
    struct beat_mark second = beat_here_mark(&end, "5f1c-17 end");
    cr_assert(beat_mark_is_valid(&first));
    cr_assert(ne(u32, first.slot, 0));
    cr_assert_str_eq(mark_of(&first)->source, "5f1c-17");
    cr_assert(eq(u64, mark_of(&first)->position, begin.position));
    cr_assert(eq(u64, mark_of(&second)->position, begin.position + 6));
    beat_unmark(&first);
    cr_assert(eq(u32, first.slot, 0));
}

Test(here, marks_nothing_that_is_gone)
{
    start(BEAT_CLOCK_AUTO);
    struct beat_here begin = beat_here_enter();
    record(1000);
    struct beat_here nowhere = {0};
    struct beat_mark mark = beat_here_mark(&begin, "lapped");
    cr_assert(eq(u32, mark.slot, 0));
    cr_assert(not(beat_mark_is_valid(&mark)));
    mark = beat_here_mark(&nowhere, "nowhere");
    cr_assert(not(beat_mark_is_valid(&mark)));
}

/* ---- The coarse clock ---- */

static uint64_t coarse_time(void)
{
    return atomic_load(&beat_recorder.header->coarse_time);
}

/* Returns once it has gone on, more often than the keeper may have been about to let it. */
static void expect_that_it_ticks(void)
{
    for (int i = 0; i < 3; i++) {
        uint64_t before = coarse_time();
        while (coarse_time() == before) {
            (void)usleep(1000);
        }
    }
}

/* Returns once it stands still for some ticks. */
static void expect_that_it_rests(void)
{
    uint64_t before;

    do {
        before = coarse_time();
        (void)usleep(50000);
    } while (coarse_time() != before);
}

static void *have_a_message(void *unused)
{
    (void)beat_here_enter();
    (void)beat_here_leave();
    return unused;
}

static void *end_in_a_message(void *unused)
{
    (void)beat_here_enter();
    return unused;
}

static void run(void *(*loop)(void *unused))
{
    pthread_t thread;

    cr_assert(eq(int, pthread_create(&thread, NULL, loop, NULL), 0));
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
}

Test(here, lets_no_other_loop_stop_the_clock_of_a_message, .timeout = 120)
{
    start(BEAT_CLOCK_COARSE);
    (void)beat_here_enter();
    run(have_a_message);
    expect_that_it_ticks();
    (void)beat_here_leave();
    expect_that_it_rests();
}

static _Atomic(bool) is_over;

static void *stay_in_a_message(void *begun)
{
    (void)beat_here_enter();
    atomic_store((_Atomic(bool) *)begun, true);
    while (!atomic_load(&is_over)) {
        (void)usleep(1000);
    }
    (void)beat_here_leave();
    return NULL;
}

/* The main thread's end stops it no more than others' do. */
Test(here, lets_the_clock_go_on_in_messages_of_any_loop, .timeout = 120)
{
    _Atomic(bool) has_begun = false;
    pthread_t thread;

    start(BEAT_CLOCK_COARSE);
    (void)beat_here_enter();
    cr_assert(eq(int, pthread_create(&thread, NULL, stay_in_a_message, &has_begun), 0));
    while (!atomic_load(&has_begun)) {
        (void)usleep(1000);
    }
    (void)beat_here_leave();
    expect_that_it_ticks();
    atomic_store(&is_over, true);
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
    expect_that_it_rests();
}

Test(here, keeps_the_clock_of_a_main_thread_without_messages, .timeout = 120)
{
    start(BEAT_CLOCK_COARSE);
    record(1);
    run(have_a_message);
    expect_that_it_ticks();
}

Test(here, forgets_a_message_whose_thread_has_ended, .timeout = 120)
{
    start(BEAT_CLOCK_COARSE);
    (void)have_a_message(NULL);
    run(end_in_a_message);
    expect_that_it_rests();
}

/* One that began in a session that is over ends in the next. */
Test(here, counts_a_message_once, .timeout = 120)
{
    start(BEAT_CLOCK_COARSE);
    (void)beat_here_enter();
    beat_stop();
    start(BEAT_CLOCK_COARSE);
    (void)beat_here_enter();
    (void)beat_here_enter();
    (void)beat_here_leave();
    expect_that_it_rests();
}
