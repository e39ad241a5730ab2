#include "recorder/rings.h"

#include "abi/record.h"
#include "recorder/name.h"
#include "recorder/plan.h"

#include <assert.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void beat_rings_init(struct beat_recorder *recorder)
{
    struct abi_trace_header *header = recorder->header;
    const struct beat_options *options = recorder->options;

    header->ring_table_offset = ABI_TRACE_PAGE;
    header->ring_count = beat_plan_ring_count(options);
    header->ring_size = sizeof(struct abi_trace_ring);
    header->mark_table_offset = abi_trace_marks_offset(header->ring_count);
    header->mark_count = BEAT_MARK_COUNT;
    header->mark_size = sizeof(struct abi_trace_mark);
    void *rings = recorder->memory->bytes + header->ring_table_offset;
    void *marks = recorder->memory->bytes + header->mark_table_offset;
    recorder->rings = rings;
    recorder->marks = marks;
    uint64_t offset = abi_trace_words_offset(header->ring_count, BEAT_MARK_COUNT);
    for (uint32_t i = 0; i < beat_plan_thread_count(options); i++) {
        struct abi_trace_ring *ring = &recorder->rings[i];
        ring->is_main = i == BEAT_MAIN_RING;
        ring->capacity = beat_plan_thread_words(options, i);
        ring->words_offset = offset;
        offset += abi_trace_words_size(ring->capacity);
    }
    recorder->lanes = (struct beat_lanes){.words_offset = offset};
}

uint32_t beat_rings_used_count(const struct beat_recorder *recorder)
{
    return beat_rings_thread_count(recorder) + recorder->lanes.used;
}

static uint64_t end_of(const struct abi_trace_ring *ring)
{
    return ring->words_offset + abi_trace_words_size(ring->capacity);
}

/* The end of the slots that have ever been written. */
static uint64_t used_end_of(const struct abi_trace_ring *ring)
{
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t words = written - ring->base;

    return ring->words_offset + (words < ring->capacity ? words : ring->capacity) * sizeof(words);
}

void beat_rings_used(const struct beat_recorder *recorder,
                     struct beat_extent extents[BEAT_RINGS_EXTENTS])
{
    const struct abi_trace_ring *main = &recorder->rings[BEAT_MAIN_RING];
    uint64_t main_end = end_of(main);
    uint32_t last = beat_rings_used_count(recorder) - 1;

    while (last > BEAT_MAIN_RING && recorder->rings[last].state == ABI_RING_UNUSED) {
        last--;
    }
    uint64_t rest = end_of(&recorder->rings[last]) - main_end;
    extents[0] = (struct beat_extent){0, main_end, used_end_of(main)};
    extents[1] = (struct beat_extent){main_end, rest, rest};
}

static void name_ring(struct abi_trace_ring *ring, const struct beat_thread *thread)
{
    if (thread->name[0] != '\0') {
        beat_name_copy(ring->thread_name, thread->name);
    } else {
        beat_name_of_thread(ring->thread_name, ring->thread_id);
    }
}

struct abi_trace_ring *beat_rings_find(const struct beat_recorder *recorder,
                                       const struct beat_thread *thread)
{
    assert(beat_has_lock());
    if (thread->memory == NULL || thread->memory != recorder->memory || thread->claim == 0) {
        return NULL;
    }
    for (uint32_t i = 0; i < beat_rings_thread_count(recorder); i++) {
        struct abi_trace_ring *ring = &recorder->rings[i];
        if (ring->state == ABI_RING_LIVE && ring->claim == thread->claim &&
            ring->thread_id == thread->thread_id) {
            return ring;
        }
    }
    return NULL;
}

static struct abi_trace_ring *find_unused(struct beat_recorder *recorder)
{
    for (uint32_t i = BEAT_MAIN_RING + 1; i < beat_rings_thread_count(recorder); i++) {
        if (recorder->rings[i].state == ABI_RING_UNUSED) {
            return &recorder->rings[i];
        }
    }
    return NULL;
}

static struct abi_trace_ring *find_longest_ended(struct beat_recorder *recorder)
{
    struct abi_trace_ring *found = NULL;

    for (uint32_t i = BEAT_MAIN_RING + 1; i < beat_rings_thread_count(recorder); i++) {
        struct abi_trace_ring *ring = &recorder->rings[i];
        /* claim grows with every ring given out, so the oldest owner has the lowest. */
        if (ring->state == ABI_RING_ENDED && (found == NULL || ring->claim < found->claim)) {
            found = ring;
        }
    }
    return found;
}

void beat_rings_empty(struct beat_recorder *recorder, struct abi_trace_ring *ring)
{
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t kept = written < ring->capacity ? written : ring->capacity;

    assert(beat_has_lock());
    atomic_fetch_add_explicit(&recorder->header->recycled_words, kept, memory_order_relaxed);
    ring->claim = 0; /* marks and copies of the old owner end here */
    atomic_store_explicit(&ring->drained, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->exact_words, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->written, 0, memory_order_release);
    ring->thread_name[0] = '\0';
}

/* Once a session: refused threads ask again and again. */
static void tell_full(struct beat_recorder *recorder)
{
    uint32_t session = beat_present(recorder);

    if (recorder->full_session != session) {
        recorder->full_session = session;
        beat_log(recorder->options, "no room on disk for the records of another thread");
    }
}

static struct abi_trace_ring *find_ring(struct beat_recorder *recorder, bool is_main)
{
    struct abi_trace_ring *ring =
        is_main ? &recorder->rings[BEAT_MAIN_RING] : find_unused(recorder);

    if (ring != NULL && ring->state == ABI_RING_UNUSED) {
        uint64_t size = abi_trace_words_size(ring->capacity);
        if (beat_memory_reserve(recorder->memory, ring->words_offset, size)) {
            return ring;
        }
        tell_full(recorder);
    }
    ring = is_main ? ring : find_longest_ended(recorder);
    if (ring == NULL || ring->state != ABI_RING_ENDED) {
        return NULL;
    }
    beat_rings_empty(recorder, ring);
    return ring;
}

/* The slots from the ring's first to end_slot are this half's, or from the middle on. */
static void point_half(struct beat_cursor *cursor, const struct beat_recorder *recorder,
                       struct abi_trace_ring *ring, uint64_t end_slot)
{
    struct abi_trace_header *header = recorder->header;
    void *words = recorder->memory->bytes + ring->words_offset;
    uint64_t middle = ring->capacity / 2;
    uint64_t count = end_slot > middle ? end_slot - middle : end_slot;
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);

    cursor->header = header;
    cursor->ring = ring;
    cursor->capacity = ring->capacity;
    cursor->end_slot = end_slot;
    cursor->words_end = (_Atomic(uint64_t) *)words + end_slot;
    cursor->end = written - written % ring->capacity + end_slot;
    cursor->coarse_time = header->clock_kind == ABI_CLOCK_COARSE ? &header->coarse_time : NULL;
    cursor->counter_start = header->counter_start;
    cursor->counter_shift = header->counter_shift;
    /* Relaxed: its writer itself goes on from here. */
    atomic_store_explicit(&cursor->low_index, 0 - count - 1, memory_order_relaxed);
}

/* Copy what the hot path needs: of memory that other threads may write, a probe then reads only
 * the count. A probe of this thread may be interrupted by a signal handler that runs this, so
 * the fields that decide where it stores keep their values, unless the ring is new. */
struct beat_cursor *beat_rings_point(const struct beat_recorder *recorder,
                                     struct abi_trace_ring *ring)
{
    struct beat_cursor *halves = recorder->memory->cursors[ring - recorder->rings];

    assert(beat_has_lock());
    halves[0].other = &halves[1];
    halves[1].other = &halves[0];
    point_half(&halves[0], recorder, ring, ring->capacity / 2);
    point_half(&halves[1], recorder, ring, ring->capacity);
    return &halves[0];
}

static void point_thread(const struct beat_recorder *recorder, struct beat_thread *thread,
                         struct abi_trace_ring *ring)
{
    thread->cursor = beat_rings_point(recorder, ring);
    thread->claim = ring->claim;
    beat_memory_pin(&thread->memory, recorder->memory);
}

/* The ring's new owner, published last. */
static void give_ring(struct beat_recorder *recorder, struct abi_trace_ring *ring,
                      const struct beat_thread *thread)
{
    assert(beat_has_lock());
    ring->thread_id = thread->thread_id;
    ring->claim = (uint32_t)++recorder->claims;
    name_ring(ring, thread);
    atomic_store_explicit(&ring->state, ABI_RING_LIVE, memory_order_release);
}

static bool refuse_thread(const struct beat_recorder *recorder, struct beat_thread *thread,
                          bool is_main)
{
    thread->cursor = &beat_nobody;
    thread->claim = 0;
    thread->refused_as_other = !is_main && recorder->options->threads != BEAT_THREADS_ALL;
    thread->refused_session = beat_present(recorder);
    /* A refused thread holds this memory only to count the records that it loses. */
    beat_memory_pin(&thread->memory, thread->refused_as_other ? NULL : recorder->memory);
    return false;
}

bool beat_rings_claim(struct beat_recorder *recorder, struct beat_thread *thread)
{
    if (thread->thread_id == 0) {
        thread->thread_id = (uint32_t)syscall(SYS_gettid);
    }
    bool is_main = thread->thread_id == (uint32_t)recorder->options->main_thread;
    struct abi_trace_ring *ring = beat_rings_find(recorder, thread);
    if (ring != NULL) {
        point_thread(recorder, thread, ring);
        return true;
    }
    if (is_main || recorder->options->threads == BEAT_THREADS_ALL) {
        ring = find_ring(recorder, is_main);
    }
    if (ring == NULL) {
        return refuse_thread(recorder, thread, is_main);
    }
    give_ring(recorder, ring, thread);
    point_thread(recorder, thread, ring);
    /* Touch the first page before the first time is read: a file system may need a millisecond. */
    atomic_store_explicit(thread->cursor->words_end - thread->cursor->end_slot, ABI_EMPTY_WORD,
                          memory_order_relaxed);
    return true;
}

void beat_rings_close(struct beat_recorder *recorder)
{
    assert(beat_has_lock());
    for (uint32_t i = 0; i < beat_rings_thread_count(recorder) + recorder->lanes.used; i++) {
        struct beat_cursor *halves = recorder->memory->cursors[i];
        /* Relaxed: a probe that misses it counts as one before the end. */
        atomic_store_explicit(&halves[0].low_index, BEAT_CLOSED, memory_order_relaxed);
        atomic_store_explicit(&halves[1].low_index, BEAT_CLOSED, memory_order_relaxed);
    }
}

void beat_rings_rename(struct beat_recorder *recorder, const struct beat_thread *thread)
{
    struct abi_trace_ring *ring = beat_rings_find(recorder, thread);

    if (ring != NULL) {
        name_ring(ring, thread);
    }
}

void beat_rings_end(struct beat_recorder *recorder, const struct beat_thread *thread)
{
    struct abi_trace_ring *ring = beat_rings_find(recorder, thread);

    if (ring != NULL) {
        name_ring(ring, thread);
        atomic_store_explicit(&ring->state, ABI_RING_ENDED, memory_order_release);
    }
}
