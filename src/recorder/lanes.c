#include "recorder/lanes.h"

#include "recorder/memory.h"
#include "recorder/name.h"
#include "recorder/plan.h"
#include "recorder/rings.h"

#include <assert.h>

/* Entries of lanes are filled on demand: most programs need few lanes. */
static void fill_entry(const struct beat_recorder *recorder, uint32_t lane)
{
    const struct beat_plan *plan = &recorder->memory->plan;
    struct abi_trace_ring *ring = &recorder->rings[beat_rings_thread_count(recorder) + lane];

    ring->is_virtual = 1;
    ring->thread_id = ABI_TRACE_LANE_ID + lane;
    ring->capacity = beat_plan_lane_words(lane, plan->thread_words);
    ring->words_offset =
        recorder->lanes.words_offset + beat_plan_lanes_size(lane, plan->thread_words);
}

static struct abi_trace_ring *find_unused(struct beat_recorder *recorder)
{
    struct beat_lanes *lanes = &recorder->lanes;

    assert(beat_has_lock() && lanes->used <= recorder->memory->plan.lane_count);
    if (lanes->used == recorder->memory->plan.lane_count) {
        return NULL;
    }
    struct abi_trace_ring *ring = &recorder->rings[beat_rings_thread_count(recorder) + lanes->used];
    fill_entry(recorder, lanes->used);
    if (!beat_memory_reserve(recorder->memory, ring->words_offset,
                             ring->capacity * sizeof(uint64_t))) {
        return NULL;
    }
    lanes->used++;
    return ring;
}

/* Searched in a circle, so that lanes are reused roughly in the order in which they ended. */
static struct abi_trace_ring *find_ended(struct beat_recorder *recorder)
{
    struct beat_lanes *lanes = &recorder->lanes;
    struct abi_trace_ring *ring = NULL;

    assert(lanes->ended <= lanes->used);
    if (lanes->ended == 0) {
        return NULL;
    }
    do {
        lanes->next = lanes->next + 1 < lanes->used ? lanes->next + 1 : 0;
        ring = &recorder->rings[beat_rings_thread_count(recorder) + lanes->next];
    } while (ring->state != ABI_RING_ENDED);
    lanes->ended--;
    beat_rings_empty(recorder, ring);
    return ring;
}

static uint64_t give_lane(struct beat_recorder *recorder, struct abi_trace_ring *ring,
                          const char *name)
{
    uint64_t index = (uint64_t)(ring - recorder->rings);
    uint64_t kind = beat_plan_lane_kind((uint32_t)index - beat_rings_thread_count(recorder));

    assert(index >= beat_rings_thread_count(recorder) && index < recorder->memory->plan.ring_count);
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
    uint64_t lane = ring != NULL ? give_lane(recorder, ring, name) : BEAT_NO_LANE;
    beat_unlock(recorder);
    return lane;
}

void beat_lane_end(uint64_t lane)
{
    struct beat_recorder *recorder = beat_lock();

    /* Even after recording, for later readers of the memory. */
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
