#include "abi/record.h"
#include "recorder/foreign.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <unistd.h>

TestSuite(foreign, .init = traces_make_folder, .fini = traces_remove_folder);

static void start(void)
{
    struct beat_options options = traces_options(NULL);

    options.clock = BEAT_CLOCK_COARSE;
    options.main_thread = beat_foreign_main_thread();
    cr_assert(beat_start(&options));
}

static uint64_t clock_of(const struct beat_foreign *foreign)
{
    return ((const struct abi_trace_header *)(const void *)foreign->bytes)->coarse_time;
}

static void store(const struct beat_foreign *foreign, uint64_t word)
{
    uint64_t *words = (void *)(foreign->bytes + foreign->words_offset);
    struct abi_trace_ring *ring = (void *)(foreign->bytes + ABI_TRACE_PAGE);

    words[ring->written] = word;
    ring->written++;
}

Test(foreign, there_is_nothing_to_take_before_the_first_session)
{
    cr_assert(eq(u32, beat_foreign_take().session, 0));
    beat_foreign_message(true); /* does nothing */
    cr_assert(eq(int, beat_foreign_main_thread(), -1));
}

Test(foreign, what_it_stores_is_the_main_threads)
{
    cr_assert(
        beat_foreign_become_main((int32_t)gettid(), "the UI thread of a very long name", true));
    start();
    cr_assert(beat_foreign_claim());
    struct beat_foreign foreign = beat_foreign_take();
    store(&foreign, abi_record(7, true, clock_of(&foreign)));
    cr_assert(beat_dump(traces_path));
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(eq(sz, loaded.main.run_counts[0], 1));
    cr_assert(eq(u32, abi_record_id(loaded.main.runs[0][0]), 7));
    cr_assert_str_eq(loaded.main.entry.thread_name, "the UI thread of a very long name");
    mb_buf_finish(&loaded.bytes);
}

/* It looks at the clock and stores later, maybe sessions later. */
Test(foreign, its_memory_serves_nobody_else_until_it_takes_another)
{
    cr_assert(beat_foreign_become_main((int32_t)gettid(), "", true));
    start();
    struct beat_foreign first = beat_foreign_take();
    for (int i = 0; i < 5; i++) {
        beat_stop();
        start();
        cr_assert(beat_foreign_look().bytes != first.bytes);
        cr_assert(eq(u64, clock_of(&first), 0)); /* recording is over */
    }
    struct beat_foreign second = beat_foreign_take();
    cr_assert(second.bytes != first.bytes);
    beat_stop();
    start();
    cr_assert(beat_foreign_look().bytes != second.bytes);
    beat_stop();
    start();
    cr_assert(beat_foreign_look().bytes != second.bytes);
}

Test(foreign, its_messages_refresh_the_clock_of_what_it_took)
{
    cr_assert(beat_foreign_become_main((int32_t)gettid(), "", true));
    start();
    struct beat_foreign foreign = beat_foreign_take();
    uint64_t before = clock_of(&foreign);
    while (clock_of(&foreign) == before) {
        beat_foreign_message(true);
    }
    beat_stop();
    start();
    beat_foreign_message(true); /* late */
    cr_assert(eq(u64, clock_of(&foreign), 0));
}
