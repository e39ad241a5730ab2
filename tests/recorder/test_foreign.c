#include "abi/record.h"
#include "recorder/foreign.h"
#include "recorder/memory.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <unistd.h>

TestSuite(foreign, .init = traces_make_folder, .fini = traces_remove_folder);

static void start(enum beat_clock clock)
{
    struct beat_options options = traces_options(NULL);

    options.clock = clock;
    options.threads = BEAT_THREADS_ALL;
    options.main_thread = beat_foreign_main_thread();
    cr_assert(beat_start(&options));
}

static _Atomic(uint64_t) *written_of(const struct beat_foreign *foreign)
{
    return (void *)(foreign->bytes + foreign->written_offset);
}

static uint64_t clock_of(const struct beat_foreign *foreign)
{
    return ((const struct abi_trace_header *)(const void *)foreign->bytes)->coarse_time;
}

static void store(const struct beat_foreign *foreign, uint32_t id)
{
    _Atomic(uint64_t) *words = (void *)(foreign->bytes + foreign->words_offset);
    _Atomic(uint64_t) *written = written_of(foreign);

    words[*written % foreign->capacity] = abi_record(id, true, clock_of(foreign));
    (*written)++;
}

Test(foreign, there_is_no_ring_where_nothing_is_recorded)
{
    cr_assert(eq(int, beat_foreign_main_thread(), -1));
    start(BEAT_CLOCK_COARSE);
    beat_stop();
    cr_assert(eq(ptr, beat_foreign_take().bytes, NULL));
}

Test(foreign, there_is_no_ring_where_time_is_the_counters)
{
    start(BEAT_CLOCK_COUNTER);
    if (beat_recorder.header->clock_kind == ABI_CLOCK_COUNTER) {
        cr_assert(eq(ptr, beat_foreign_take().bytes, NULL));
    }
}

/* Until a record costs less than half of what the first one did; in later sessions too. */
Test(foreign, says_how_long_records_are_slow)
{
    start(BEAT_CLOCK_COARSE);
    const struct abi_trace_header *header = beat_recorder.header;
    cr_expect(beat_foreign_note_cost(1500));
    cr_expect(eq(u32, header->slow_record_ns, 1500));
    struct beat_foreign foreign = beat_foreign_take();
    store(&foreign, 7);
    store(&foreign, 8);
    cr_expect(beat_foreign_note_cost(751));
    cr_expect(eq(u64, header->slow_words, 3));
    cr_expect(eq(u64, header->quick_words, 0));
    store(&foreign, 9);
    cr_expect(not(beat_foreign_note_cost(750)));
    cr_expect(eq(u64, header->slow_words, 3));
    cr_expect(eq(u64, header->quick_words, 4));
    cr_expect(eq(u32, header->slow_record_ns, 1500));
    beat_stop();
    cr_expect(beat_foreign_note_cost(1400), "where nothing is recorded either");
    start(BEAT_CLOCK_COARSE);
    cr_expect(eq(u32, beat_recorder.header->slow_record_ns, 0));
    cr_expect(beat_foreign_note_cost(1400));
    cr_expect(eq(u32, beat_recorder.header->slow_record_ns, 1500));
}

Test(foreign, who_becomes_main_has_the_main_ring)
{
    beat_name_thread("the UI thread of a very long name");
    beat_foreign_become_main((int32_t)gettid());
    start(BEAT_CLOCK_COARSE);
    struct beat_foreign foreign = beat_foreign_take();
    store(&foreign, 7);
    cr_assert(beat_dump(traces_path));
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(eq(sz, loaded.main.run_counts[0], 1));
    cr_assert(eq(u32, abi_record_id(loaded.main.runs[0][0]), 7));
    cr_assert_str_eq(loaded.main.entry.thread_name, "the UI thread of a very long name");
    mb_buf_finish(&loaded.bytes);
}

/* The count in the ring is all that both go on with, whatever the halves and laps. */
Test(foreign, probes_of_c_write_between_two_stores)
{
    uint64_t before = 0;

    start(BEAT_CLOCK_COARSE);
    struct beat_foreign foreign = beat_foreign_take();
    before = *written_of(&foreign);
    for (uint64_t i = 0; i < 3 * foreign.capacity; i++) {
        store(&foreign, 7);
        if (i % 1000 == 0) {
            beat_i(8);
        }
    }
    uint64_t stored = 3 * foreign.capacity + (3 * foreign.capacity + 999) / 1000;
    cr_assert(eq(u64, *written_of(&foreign) - before, stored));
    beat_i(9);
    const _Atomic(uint64_t) *words = (void *)(foreign.bytes + foreign.words_offset);
    uint64_t last = words[(*written_of(&foreign) - 1) % foreign.capacity];
    cr_assert(eq(u32, abi_record_id(last), 9));
}

/* It looks at the clock and stores later, maybe sessions later. */
Test(foreign, its_memory_serves_nobody_else_until_it_takes_another)
{
    start(BEAT_CLOCK_COARSE);
    struct beat_foreign first = beat_foreign_take();
    for (int i = 0; i < 5; i++) {
        beat_stop();
        start(BEAT_CLOCK_COARSE);
        beat_i(1); /* attached anew by C: what Java had stays */
        cr_assert(ne(ptr, beat_recorder.memory->bytes, first.bytes));
        cr_assert(eq(u64, clock_of(&first), 0)); /* recording is over */
    }
    struct beat_foreign second = beat_foreign_take();
    cr_assert(ne(ptr, second.bytes, first.bytes));
    cr_assert(eq(u32, beat_thread.java_memory->pin_count > 0, 1));
}

static void *take(void *foreign)
{
    *(struct beat_foreign *)foreign = beat_foreign_take();
    return NULL;
}

Test(foreign, a_thread_that_ends_gives_its_memory_back)
{
    struct beat_foreign foreign;
    pthread_t thread;

    start(BEAT_CLOCK_COARSE);
    cr_assert(eq(int, pthread_create(&thread, NULL, take, &foreign), 0));
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
    cr_assert(ne(ptr, foreign.bytes, NULL));
    cr_assert(le(u32, beat_recorder.memory->pin_count, 1), "the keeper's at most");
}
