#include "recorder/lanes.h"

#include "abi/record.h"
#include "recorder/foreign.h"
#include "recorder/rings.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define LANES 4u

TestSuite(lanes, .init = traces_make_folder, .fini = traces_remove_folder);

static struct beat_options lanes_options(const char *file)
{
    struct beat_options options = traces_options(file);

    options.threads = BEAT_THREADS_ALL;
    options.max_virtual = LANES;
    return options;
}

static void start(void)
{
    struct beat_options options = lanes_options(traces_path);

    cr_assert(beat_start(&options));
}

struct use {
    bool (*probe)(uint64_t lane, uint32_t id);
    uint64_t lane;
    uint32_t id;
    bool done;
};

static void *use(void *argument)
{
    struct use *u = argument;

    u->done = u->probe(u->lane, u->id);
    return NULL;
}

/* On a thread of its own. */
static bool elsewhere(bool (*probe)(uint64_t lane, uint32_t id), uint64_t lane, uint32_t id)
{
    struct use u = {probe, lane, id, false};
    pthread_t thread;

    cr_assert(eq(int, pthread_create(&thread, NULL, use, &u), 0));
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
    return u.done;
}

/* The ids of a ring's words, negative for exits. */
static size_t read_ids(const struct abi_ring_view *view, int64_t *ids)
{
    size_t count = 0;

    for (size_t r = 0; r < 2; r++) {
        for (size_t i = 0; i < view->run_counts[r]; i++) {
            int64_t id = abi_record_id(view->runs[r][i]);
            ids[count++] = abi_record_is_enter(view->runs[r][i]) ? id : -id;
        }
    }
    return count;
}

static void expect_ids(const char *name, const int64_t *expected, size_t expected_count)
{
    int64_t ids[64];
    struct abi_ring_view view;
    struct traces_loaded loaded = traces_load(traces_path);

    cr_assert(traces_find_ring(&loaded, name, &view), "%s", name);
    cr_assert(view.entry.is_virtual == 1 && view.entry.is_main == 0);
    cr_assert(ge(u32, view.entry.thread_id, ABI_TRACE_LANE_ID));
    cr_assert(eq(sz, read_ids(&view, ids), expected_count));
    for (size_t i = 0; i < expected_count; i++) {
        cr_expect(eq(i64, ids[i], expected[i]), "%s, word %zu", name, i);
    }
    mb_buf_finish(&loaded.bytes);
}

Test(lanes, carry_calls_that_wander_from_thread_to_thread)
{
    start();
    uint64_t lane = beat_lane_create("workers");
    uint64_t other = beat_lane_create("others");
    cr_assert(lane != BEAT_NO_LANE && other != BEAT_NO_LANE && lane != other);
    cr_assert(elsewhere(beat_lane_i, lane, 5));
    cr_assert(beat_lane_i(other, 9));
    cr_assert(elsewhere(beat_lane_i, lane, 6));
    cr_assert(elsewhere(beat_lane_c, lane, 5));
    cr_assert(elsewhere(beat_lane_o, lane, 5));
    cr_assert(elsewhere(beat_lane_o, other, 9));
    beat_stop();
    expect_ids("workers", (const int64_t[]){5, 6, -(int64_t)0xFFFFF, -5, -5}, 5);
    expect_ids("others", (const int64_t[]){9, -9}, 2);
}

Test(lanes, are_no_more_than_asked_for)
{
    uint64_t lanes[LANES];

    start();
    for (size_t i = 0; i < LANES; i++) {
        lanes[i] = beat_lane_create("a");
        cr_assert(lanes[i] != BEAT_NO_LANE);
    }
    cr_assert(eq(u64, beat_lane_create("b"), BEAT_NO_LANE));
    cr_assert(beat_lane_i(lanes[2], 7));
    beat_lane_end(lanes[2]);
    beat_lane_end(lanes[2]); /* is nothing new */
    uint64_t again = beat_lane_create("b");
    cr_assert(again != BEAT_NO_LANE);
    cr_assert(eq(u64, beat_lane_create("c"), BEAT_NO_LANE));
    cr_assert(beat_lane_i(again, 8));
    beat_stop();
    expect_ids("b", (const int64_t[]){8}, 1);
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(eq(u64, loaded.trace.header.recycled_words, 1));
    mb_buf_finish(&loaded.bytes);
}

Test(lanes, there_are_none_where_only_main_is_recorded_or_nothing_is)
{
    struct beat_options options = lanes_options(NULL);

    cr_assert(eq(u64, beat_lane_create("too early"), BEAT_NO_LANE));
    options.threads = BEAT_THREADS_MAIN;
    cr_assert(beat_start(&options));
    cr_assert(eq(u64, beat_lane_create("not main"), BEAT_NO_LANE));
    beat_stop();
    cr_assert(eq(u64, beat_lane_create("too late"), BEAT_NO_LANE));
    cr_assert(not(beat_lane_i(BEAT_NO_LANE, 1)));
}

/* Sessions until one has that memory again: the keeper lets go of it when it comes by. */
static void restart_in(const uint8_t *memory, const struct beat_options *options)
{
    do {
        beat_stop();
        cr_assert(beat_start(options));
    } while (beat_recorder.memory->bytes != memory);
}

/* Whoever holds the number of a lane of a former session stores nowhere, also where a later session
 * has the very memory. */
Test(lanes, of_former_sessions_are_harmless)
{
    struct beat_options options = lanes_options(NULL);

    for (int i = 0; i < 5; i++) {
        cr_assert(beat_start(&options));
        uint64_t old = beat_lane_create("old");
        const uint8_t *memory = beat_recorder.memory->bytes;
        cr_assert(elsewhere(beat_lane_i, old, 3)); /* whose thread holds nothing any more */
        beat_stop();
        cr_assert(not(beat_lane_o(old, 3)));
        restart_in(memory, &options);
        uint64_t new = beat_lane_create("new");
        cr_assert(eq(u32, beat_lane_ring(new), beat_lane_ring(old)));
        cr_assert(not(beat_lane_o(old, 3)));
        beat_lane_end(old);
        cr_assert(elsewhere(beat_lane_i, new, 4));
        cr_assert(not(elsewhere(beat_lane_o, old, 3)));
        cr_assert(beat_dump(traces_path));
        expect_ids("new", (const int64_t[]){4}, 1);
        beat_stop();
    }
}

/* A thread that may be in the middle of a probe keeps others away. */
Test(lanes, hold_their_memory_for_the_thread_that_stored_last)
{
    struct beat_options options = lanes_options(NULL);

    cr_assert(beat_start(&options));
    const uint8_t *memory = beat_recorder.memory->bytes;
    cr_assert(beat_lane_i(beat_lane_create("a"), 3));
    for (int i = 0; i < 3; i++) {
        beat_stop();
        cr_assert(beat_start(&options));
        cr_assert(beat_recorder.memory->bytes != memory);
    }
    cr_assert(beat_lane_i(beat_lane_create("a"), 3));
    restart_in(memory, &options);
}

Test(lanes, go_on_when_the_first_recording_gets_a_file)
{
    setenv("METHODBEAT_THREADS", "all", 1);
    setenv("METHODBEAT_MAX_THREADS", "63:4", 1);
    beat_i(1);
    uint64_t lane = beat_lane_create("a");
    cr_assert(beat_lane_i(lane, 3));
    struct beat_options options;
    beat_options_init(&options);
    options.file = traces_path;
    cr_assert(beat_start(&options));
    cr_assert(beat_lane_o(lane, 3));
    beat_stop();
    expect_ids("a", (const int64_t[]){3, -3}, 2);
}

Test(lanes, lap_as_other_rings_do)
{
    struct beat_options options = lanes_options(traces_path);
    struct abi_ring_view view;

    options.thread_words = 1024;
    cr_assert(beat_start(&options));
    uint64_t lane = beat_lane_create("a");
    for (uint32_t i = 0; i < 3000; i++) {
        cr_assert(beat_lane_i(lane, 1 + i));
    }
    beat_stop();
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(traces_find_ring(&loaded, "a", &view));
    cr_assert(eq(u64, view.entry.written, 3000));
    cr_assert(eq(u64, view.lapped_words, 3000 - 1024));
    mb_buf_finish(&loaded.bytes);
}

/* Few long rings and many short ones; all of them inside the memory, none over another. */
Test(lanes, are_long_while_they_are_few)
{
    struct beat_options options = lanes_options(traces_path);

    options.max_virtual = 2000;
    cr_assert(beat_start(&options));
    uint64_t lane = BEAT_NO_LANE;
    uint64_t end = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        lane = beat_lane_create("a");
        const struct abi_trace_ring *ring = &beat_recorder.rings[beat_lane_ring(lane)];
        cr_assert(eq(u64, ring->capacity, i < 64 ? 65536 : i < 1024 ? 4096 : 256), "lane %u", i);
        cr_assert(ge(u64, ring->words_offset, end), "lane %u", i);
        end = ring->words_offset + ring->capacity * sizeof(uint64_t);
        cr_assert(le(u64, end, beat_recorder.memory->size), "lane %u", i);
    }
    cr_assert(beat_lane_i(lane, 3));
    cr_assert(not(beat_dump(traces_path)), "it is recorded to");
    expect_ids("a", NULL, 0);
    cr_assert(eq(u64, beat_lane_create("b"), BEAT_NO_LANE));
}

Test(lanes, have_times_between_two_ticks)
{
    struct beat_options options = lanes_options(NULL);

    options.clock = BEAT_CLOCK_COARSE;
    options.tick_ms = 60000;
    cr_assert(beat_start(&options));
    uint64_t lane = beat_lane_create("a");
    cr_assert(beat_lane_i(lane, 3));
    (void)usleep(2000);
    cr_assert(beat_lane_o(lane, 3));
    const struct abi_trace_ring *ring = &beat_recorder.rings[beat_lane_ring(lane)];
    const uint64_t *words = (const void *)(beat_recorder.memory->bytes + ring->words_offset);
    cr_assert(ge(u64, abi_record_elapsed(words[0], words[1]), 2000));
}

/* Where Java stores into rings of threads, their copies stay clear of what it may be storing. A
 * lane is shorter than that. */
Test(lanes, are_copied_whole_where_java_stores_too)
{
    struct beat_options options = lanes_options(NULL);

    options.thread_words = 1024;
    options.max_virtual = 100;
    options.clock = BEAT_CLOCK_COARSE;
    cr_assert(beat_start(&options));
    cr_assert(ne(ptr, beat_foreign_take().bytes, NULL));
    uint64_t lane = BEAT_NO_LANE;
    for (int i = 0; i < 100; i++) {
        lane = beat_lane_create(i < 99 ? "a" : "b");
    }
    for (uint32_t i = 0; i < 60; i++) {
        cr_assert(beat_lane_i(lane, 3));
    }
    cr_assert(beat_dump(traces_path));
    struct traces_loaded loaded = traces_load(traces_path);
    struct abi_ring_view view;
    cr_assert(traces_find_ring(&loaded, "b", &view));
    cr_assert(eq(sz, view.run_counts[0], 60));
    mb_buf_finish(&loaded.bytes);
}
