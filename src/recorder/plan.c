#include "recorder/plan.h"

#include "abi/settings.h"
#include "abi/tracefile.h"
#include "base/check.h"
#include "recorder/core.h"

#include <stddef.h>

#define MIN_WORDS 1024u
#define MIN_LANE_WORDS 256u
#define FIRST_WORDS 1000000u

static uint32_t at_least(uint32_t value, uint32_t least)
{
    return value < least ? least : value;
}

static uint32_t at_most(uint32_t value, uint32_t most)
{
    return value > most ? most : value;
}

/* ---- Lanes ---- */

static const struct lane_kind {
    uint32_t end;   /* number of the first lane of the next kind */
    uint32_t share; /* part of thread_words */
} lane_kinds[] = {{64, 1}, {1024, 16}, {ABI_MAX_LANES, 256}};

uint32_t beat_plan_lane_count(const struct beat_options *options)
{
    return options->threads == BEAT_THREADS_ALL ? options->max_virtual : 0;
}

uint32_t beat_plan_lane_kind(uint32_t lane)
{
    uint32_t kind = 0;

    while (lane >= lane_kinds[kind].end) {
        kind++;
    }
    return kind;
}

uint32_t beat_plan_lane_words(uint32_t lane, uint32_t thread_words)
{
    uint32_t share = lane_kinds[beat_plan_lane_kind(lane)].share;

    return at_least((thread_words != 0 ? thread_words : BEAT_THREAD_WORDS) / share, MIN_LANE_WORDS);
}

uint64_t beat_plan_lanes_size(uint32_t count, uint32_t thread_words)
{
    uint64_t size = 0;
    uint32_t first = 0;

    for (size_t k = 0; k < MB_COUNT(lane_kinds) && first < count; k++) {
        uint32_t end = at_most(lane_kinds[k].end, count);
        uint64_t words = beat_plan_lane_words(first, thread_words);
        size += (end - first) * words * sizeof(uint64_t);
        first = end;
    }
    return size;
}

/* ---- Rings of threads ---- */

uint32_t beat_plan_thread_count(const struct beat_options *options)
{
    return options->threads == BEAT_THREADS_ALL ? options->max_threads + 1 : 1;
}

uint32_t beat_plan_ring_count(const struct beat_options *options)
{
    return beat_plan_thread_count(options) + beat_plan_lane_count(options);
}

/* The shorter a ring, the later it is drained for what it holds, and a few threads make most
 * records: if no length is set, the first rings have half, a third ... of a million words. All of
 * them together take 11 MB more than equal ones. */
uint32_t beat_plan_thread_words(const struct beat_options *options, uint32_t ring)
{
    if (ring == BEAT_MAIN_RING) {
        return options->main_words;
    }
    return options->thread_words != 0 ? options->thread_words
                                      : at_least(FIRST_WORDS / (ring + 1), BEAT_THREAD_WORDS);
}

/* ---- Both ---- */

static uint64_t sum_sizes(const struct beat_options *options)
{
    uint64_t size = abi_trace_words_offset(beat_plan_ring_count(options), BEAT_MARK_COUNT);
    uint64_t lanes = beat_plan_lanes_size(beat_plan_lane_count(options), options->thread_words);

    for (uint32_t i = 0; i < beat_plan_thread_count(options); i++) {
        size += abi_trace_words_size(beat_plan_thread_words(options, i));
    }
    return size + abi_trace_words_size(lanes / sizeof(uint64_t));
}

/* The longest main ring that takes excess bytes less than now. */
static uint32_t shorten_ring(uint32_t main_words, uint64_t excess)
{
    uint64_t size = abi_trace_words_size(main_words);
    uint64_t left = size > excess ? (size - excess) / ABI_TRACE_PAGE * ABI_TRACE_PAGE : 0;

    return at_least((uint32_t)(left / sizeof(uint64_t)), MIN_WORDS);
}

static void drop_threads(struct beat_options *options, uint64_t excess)
{
    uint64_t ring_size = abi_trace_words_size(options->thread_words);
    uint64_t fewer = (excess + ring_size - 1) / ring_size;

    options->max_threads -= fewer < options->max_threads ? (uint32_t)fewer : options->max_threads;
}

static void keep_limits(struct beat_options *options)
{
    options->main_words =
        at_least(options->main_words != 0 ? options->main_words : FIRST_WORDS, MIN_WORDS);
    if (options->thread_words != 0) {
        options->thread_words = at_least(options->thread_words, MIN_WORDS);
    }
    options->max_threads = at_most(options->max_threads, ABI_MAX_THREADS);
    options->max_virtual = at_most(options->max_virtual, ABI_MAX_LANES);
}

uint64_t beat_plan_fit(struct beat_options *options)
{
    keep_limits(options);
    uint64_t size = sum_sizes(options);
    if (size > options->max_bytes && options->thread_words == 0) {
        options->thread_words = BEAT_THREAD_WORDS;
        size = sum_sizes(options);
    }
    while (size > options->max_bytes && beat_plan_lane_count(options) > 0) {
        options->max_virtual /= 2;
        size = sum_sizes(options);
    }
    if (options->threads == BEAT_THREADS_ALL && size > options->max_bytes) {
        drop_threads(options, size - options->max_bytes);
        size = sum_sizes(options);
    }
    if (size > options->max_bytes) {
        options->main_words = shorten_ring(options->main_words, size - options->max_bytes);
    }
    return sum_sizes(options);
}
