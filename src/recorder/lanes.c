#include "recorder/lanes.h"

#include "recorder/memory.h"
#include "recorder/name.h"
#include "recorder/rings.h"

#define MIN_WORDS 256u

/* Few long ones and many short ones: how many threads will be inside calls at a time is not known
 * beforehand, and a page is touched only when it is written to. */
struct kind {
    uint32_t end;   /* number of the first lane of the next kind */
    uint32_t share; /* part of thread_words */
};

static const struct kind kinds[] = {{64, 1}, {1024, 16}, {BEAT_MAX_LANES, 256}};

uint32_t beat_lanes_count(const struct beat_options *options)
{
    return options->threads == BEAT_THREADS_ALL ? options->max_virtual : 0;
}

static uint32_t kind_of(uint32_t lane)
{
    uint32_t kind = 0;

    while (lane >= kinds[kind].end) {
        kind++;
    }
    return kind;
}

static uint32_t words_of(const struct kind *kind, uint32_t thread_words)
{
    uint32_t words = (thread_words != 0 ? thread_words : BEAT_THREAD_WORDS) / kind->share;

    return words < MIN_WORDS ? MIN_WORDS : words;
}

/* Bytes of the first count lanes. */
static uint64_t size_of(uint32_t count, uint32_t thread_words)
{
    uint64_t size = 0;
    uint32_t first = 0;

    for (size_t k = 0; k < MB_COUNT(kinds) && first < count; k++) {
        uint32_t end = kinds[k].end < count ? kinds[k].end : count;
        size += (uint64_t)(end - first) * words_of(&kinds[k], thread_words) * sizeof(uint64_t);
        first = end;
    }
    return size;
}

uint64_t beat_lanes_size(const struct beat_options *options)
{
    uint64_t size = size_of(beat_lanes_count(options), options->thread_words);

    return abi_trace_words_size(size / sizeof(uint64_t));
}

/* ---- Giving out ---- */

static uint32_t first_ring(const struct beat_recorder *recorder)
{
    return recorder->memory->plan.ring_count - recorder->memory->plan.lane_count;
}

/* Their table is not filled before: most programs need few of them. */
static void describe(const struct beat_recorder *recorder, uint32_t lane)
{
    const struct beat_plan *plan = &recorder->memory->plan;
    struct abi_trace_ring *ring = &recorder->rings[first_ring(recorder) + lane];

    ring->is_virtual = 1;
    ring->thread_id = ABI_TRACE_LANE_ID + lane;
    ring->capacity = words_of(&kinds[kind_of(lane)], plan->thread_words);
    ring->words_offset = recorder->lanes.words_offset + size_of(lane, plan->thread_words);
}

static struct abi_trace_ring *find_unused(struct beat_recorder *recorder)
{
    struct beat_lanes *lanes = &recorder->lanes;

    if (lanes->used == recorder->memory->plan.lane_count) {
        return NULL;
    }
    struct abi_trace_ring *ring = &recorder->rings[first_ring(recorder) + lanes->used];
    describe(recorder, lanes->used);
    if (!beat_memory_reserve(recorder->memory, ring->words_offset,
                             ring->capacity * sizeof(uint64_t))) {
        return NULL;
    }
    lanes->used++;
    return ring;
}

/* They are looked for in a circle: those that ended first come first, more or less. */
static struct abi_trace_ring *find_ended(struct beat_recorder *recorder)
{
    struct beat_lanes *lanes = &recorder->lanes;
    struct abi_trace_ring *ring = NULL;

    if (lanes->ended == 0) {
        return NULL;
    }
    do {
        lanes->next = lanes->next + 1 < lanes->used ? lanes->next + 1 : 0;
        ring = &recorder->rings[first_ring(recorder) + lanes->next];
    } while (ring->state != ABI_RING_ENDED);
    lanes->ended--;
    beat_rings_empty(recorder, ring);
    return ring;
}

static uint64_t give(struct beat_recorder *recorder, struct abi_trace_ring *ring, const char *name)
{
    uint64_t index = (uint64_t)(ring - recorder->rings);
    uint64_t kind = kind_of((uint32_t)index - first_ring(recorder));

    ring->claim = (uint32_t)++recorder->claims;
    beat_name_copy(ring->thread_name, name);
    (void)beat_rings_point(recorder, ring);
    atomic_store_explicit(&ring->state, ABI_RING_LIVE, memory_order_release);
    return (uint64_t)recorder->recorded_session << BEAT_LANE_SESSION_SHIFT |
           kind << BEAT_LANE_KIND_SHIFT | index;
}

/* Is the session of that lane the one that is being recorded? Under the lock. */
static bool is_present(const struct beat_recorder *recorder, uint64_t lane)
{
    return lane != BEAT_NO_LANE && beat_is_recording() &&
           beat_lane_session(lane) == recorder->recorded_session;
}

uint64_t beat_lane_create(const char *name)
{
    struct beat_recorder *recorder = beat_lock();
    struct abi_trace_ring *ring = NULL;

    if (beat_is_recording()) {
        ring = find_unused(recorder);
        ring = ring != NULL ? ring : find_ended(recorder);
    }
    uint64_t lane = ring != NULL ? give(recorder, ring, name) : BEAT_NO_LANE;
    beat_unlock(recorder);
    return lane;
}

void beat_lane_end(uint64_t lane)
{
    struct beat_recorder *recorder = beat_lock();

    /* Also when recording is over, for whoever looks at it then. */
    if (lane != BEAT_NO_LANE && beat_lane_session(lane) == recorder->recorded_session) {
        struct abi_trace_ring *ring = &recorder->rings[beat_lane_ring(lane)];
        recorder->lanes.ended += ring->state == ABI_RING_LIVE ? 1 : 0;
        atomic_store_explicit(&ring->state, ABI_RING_ENDED, memory_order_release);
    }
    beat_unlock(recorder);
}

bool beat_lane_reopen(uint64_t lane)
{
    struct beat_recorder *recorder = beat_lock();
    bool present = is_present(recorder, lane);

    if (present) {
        (void)beat_rings_point(recorder, &recorder->rings[beat_lane_ring(lane)]);
    }
    beat_unlock(recorder);
    return present;
}
