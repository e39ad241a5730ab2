#include "abi/record.h"
#include "recorder/copy.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <unistd.h>

#define ROOM 2048u

static uint64_t words[ROOM];

static void *record_one(void *id)
{
    beat_i((uint32_t)(uintptr_t)id);
    return NULL;
}

static void record_on_thread(uintptr_t id)
{
    pthread_t thread;

    cr_assert(eq(int, pthread_create(&thread, NULL, record_one, (void *)id), 0));
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
}

/* As when the ring is recycled while it is copied: the claim noted is that of the thread before. */
Test(copy, a_ring_that_another_thread_got_is_copied_anew)
{
    struct beat_options options = traces_options(NULL);
    struct beat_range range;

    options.threads = BEAT_THREADS_ALL;
    options.max_threads = 1;
    cr_assert(beat_start(&options));
    record_on_thread(5);
    struct beat_recorder *recorder = beat_lock();
    struct beat_source source = beat_source_of(recorder->memory, 1, false);
    uint32_t first_claim = source.claim;
    beat_unlock(recorder);
    record_on_thread(6);
    recorder = beat_lock();
    cr_assert(not(beat_copy_ring(recorder, &source, 0, (struct beat_room){words, ROOM}, &range)));
    beat_unlock(recorder);
    cr_assert(ne(u32, source.claim, first_claim));
    cr_assert(eq(u64, range.end - range.first, 1));
    cr_assert(eq(u32, abi_record_id(words[0]), 6));
}

Test(copy, a_session_that_begins_meanwhile_does_no_harm)
{
    struct beat_options options = traces_options(NULL);
    struct beat_range range;

    cr_assert(beat_start(&options));
    beat_i(5);
    struct beat_recorder *recorder = beat_lock();
    struct beat_source source = beat_source_of(recorder->memory, 0, false);
    beat_memory_begin_reading(source.memory);
    beat_unlock(recorder);
    beat_stop();
    cr_assert(beat_start(&options));
    beat_i(6);
    recorder = beat_lock();
    cr_assert(beat_copy_ring(recorder, &source, 0, (struct beat_room){words, ROOM}, &range));
    beat_memory_end_reading(source.memory);
    beat_unlock(recorder);
    cr_assert(eq(u64, range.end, 1));
    cr_assert(eq(u32, abi_record_id(words[0]), 5));
}

Test(copy, a_foreign_writer_gets_a_wide_berth)
{
    struct beat_options options = traces_options(NULL);
    size_t count = ROOM;

    options.main_words = 1024;
    cr_assert(beat_start(&options));
    for (uint32_t i = 1; i <= 3000; i++) {
        beat_i(i);
    }
    beat_recorder.java_writes = true;
    cr_assert(beat_copy(NULL, BEAT_SELF, words, &count));
    cr_assert(eq(sz, count, 1024 - 256));
    cr_assert(eq(u32, abi_record_id(words[count - 1]), 3000));
}
