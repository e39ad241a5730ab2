#include "abi/record.h"
#include "recorder/core.h"
#include "recorder/rings.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static uint64_t words[4096];

TestSuite(rings, .init = traces_make_folder, .fini = traces_remove_folder);

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

Test(probe, other_threads_record_only_when_asked_to)
{
    cr_assert(other_thread_records(BEAT_THREADS_ALL));
    beat_stop();
    cr_assert(not(other_thread_records(BEAT_THREADS_MAIN)));
}

static uint64_t capacity_of(uint32_t index)
{
    const struct beat_recorder *recorder = beat_lock();
    uint64_t capacity = recorder->rings[index].capacity;

    beat_unlock(&beat_recorder);
    return capacity;
}

Test(rings, the_first_threads_have_longer_ones_unless_their_length_is_given)
{
    struct beat_options options = traces_options(NULL);

    options.threads = BEAT_THREADS_ALL;
    cr_assert(beat_start(&options));
    cr_expect(eq(u64, capacity_of(0), options.main_words));
    cr_expect(eq(u64, capacity_of(1), 500000));
    cr_expect(eq(u64, capacity_of(2), 333333));
    cr_expect(eq(u64, capacity_of(14), 66666));
    cr_expect(eq(u64, capacity_of(15), 65536));
    cr_expect(eq(u64, capacity_of(63), 65536));
    beat_stop();
    options.thread_words = 2048;
    cr_assert(beat_start(&options));
    cr_expect(eq(u64, capacity_of(1), 2048));
    cr_expect(eq(u64, capacity_of(63), 2048));
}

Test(rings, a_cut_main_ring_is_told)
{
    struct beat_options options = traces_options(traces_path);

    options.max_bytes = 1 << 20;
    cr_assert(beat_start(&options));
    cr_assert(strstr(traces_log, "max_bytes has room for") != NULL, "%s", traces_log);
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(le(sz, loaded.trace.size, (size_t)1 << 20));
    mb_buf_finish(&loaded.bytes);
}

static void *record_some(void *id)
{
    for (int i = 0; i < 1000; i++) {
        beat_i((uint32_t)(uintptr_t)id);
    }
    return NULL;
}

/* Rings of ended threads go to new ones, and only their words are then there. */
Test(rings, of_ended_threads_are_given_to_others)
{
    struct beat_options options = traces_options(traces_path);
    pthread_t thread;

    options.threads = BEAT_THREADS_ALL;
    options.max_threads = 2;
    cr_assert(beat_start(&options));
    for (uintptr_t id = 1; id <= 10; id++) {
        cr_assert(eq(int, pthread_create(&thread, NULL, record_some, (void *)id), 0));
        cr_assert(eq(int, pthread_join(thread, NULL), 0));
    }
    beat_stop();
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(eq(u64, loaded.trace.header.recycled_words, 8 * 1000));
    for (uint32_t i = 1; i <= 2; i++) {
        struct abi_ring_view view;
        bool used;
        cr_assert(eq(int, abi_tracefile_ring(&loaded.trace, i, &view, &used, NULL), MB_OK));
        cr_assert(used);
        cr_assert(eq(sz, view.run_counts[0], 1000));
        for (size_t w = 1; w < 1000; w++) {
            cr_assert(eq(u32, abi_record_id(view.runs[0][w]), abi_record_id(view.runs[0][0])));
        }
    }
    mb_buf_finish(&loaded.bytes);
}

static void *copy_after_stop(void *count)
{
    beat_i(9);
    beat_stop();
    *(size_t *)count = 4096;
    cr_assert(beat_copy(NULL, BEAT_SELF, words, count));
    return NULL;
}

/* The main thread's words are not taken for the caller's. */
Test(rings, self_is_the_callers_also_when_recording_is_over)
{
    struct beat_options options = traces_options(NULL);
    pthread_t thread;
    size_t count = 0;

    options.threads = BEAT_THREADS_ALL;
    cr_assert(beat_start(&options));
    record_some((void *)1);
    cr_assert(eq(int, pthread_create(&thread, NULL, copy_after_stop, &count), 0));
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
    cr_assert(eq(sz, count, 1));
    cr_assert(eq(u32, abi_record_id(words[0]), 9));
}

static void *mark_self(void *unused)
{
    struct beat_mark mark = beat_mark(BEAT_SELF, "test");
    size_t count = 4096;

    (void)unused;
    return (void *)(uintptr_t)(beat_mark_is_valid(&mark) ||
                               beat_copy(NULL, BEAT_SELF, words, &count));
}

Test(rings, who_has_none_has_no_marks_and_no_words)
{
    struct beat_options options = traces_options(NULL);
    pthread_t thread;
    void *had;

    cr_assert(beat_start(&options)); /* the main thread only */
    beat_i(1);
    cr_assert(eq(int, pthread_create(&thread, NULL, mark_self, NULL), 0));
    cr_assert(eq(int, pthread_join(thread, &had), 0));
    cr_assert(zero(ptr, had));
}
