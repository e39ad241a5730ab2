#include "recorder/rings.h"

#include "abi/record.h"
#include "recorder/lanes.h"
#include "recorder/name.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAIN_RING 0u
#define MIN_WORDS 1024u
#define FIRST_WORDS 1000000u

/* Those that threads of the system write to. */
static uint32_t count_threads(const struct beat_options *options)
{
    return options->threads == BEAT_THREADS_ALL ? options->max_threads + 1 : 1;
}

uint32_t beat_rings_count(const struct beat_options *options)
{
    return count_threads(options) + beat_lanes_count(options);
}

static uint32_t at_least(uint32_t value, uint32_t least)
{
    return value < least ? least : value;
}

/* Whoever drains a ring comes the later for it the less there is of it, and a few threads have most
 * to say: where nobody says how long rings are, the first are half, a third ... of a million words.
 * All of them together take 11 MB more so. */
static uint32_t words_of(const struct beat_options *options, uint32_t ring)
{
    if (ring == MAIN_RING) {
        return options->main_words;
    }
    return options->thread_words != 0 ? options->thread_words
                                      : at_least(FIRST_WORDS / (ring + 1), BEAT_THREAD_WORDS);
}

static uint64_t planned_size(const struct beat_options *options)
{
    uint64_t size = abi_trace_words_offset(beat_rings_count(options), BEAT_MARK_COUNT);

    for (uint32_t i = 0; i < count_threads(options); i++) {
        size += abi_trace_words_size(words_of(options, i));
    }
    return size + beat_lanes_size(options);
}

static uint32_t at_most(uint32_t value, uint32_t most)
{
    return value > most ? most : value;
}

/* The longest main ring that takes excess bytes less than now. */
static uint32_t shortened(uint32_t main_words, uint64_t excess)
{
    uint64_t size = abi_trace_words_size(main_words);
    uint64_t left = size > excess ? (size - excess) / ABI_TRACE_PAGE * ABI_TRACE_PAGE : 0;

    return at_least((uint32_t)(left / sizeof(uint64_t)), MIN_WORDS);
}

uint64_t beat_rings_plan(struct beat_options *options)
{
    options->main_words = at_least(options->main_words, MIN_WORDS);
    if (options->thread_words != 0) {
        options->thread_words = at_least(options->thread_words, MIN_WORDS);
    }
    options->max_threads = at_most(options->max_threads, BEAT_MAX_THREADS);
    options->max_virtual = at_most(options->max_virtual, BEAT_MAX_LANES);
    uint64_t size = planned_size(options);
    if (size > options->max_bytes && options->thread_words == 0) {
        options->thread_words = BEAT_THREAD_WORDS;
        size = planned_size(options);
    }
    while (size > options->max_bytes && beat_lanes_count(options) > 0) {
        options->max_virtual /= 2;
        size = planned_size(options);
    }
    if (options->threads == BEAT_THREADS_ALL && size > options->max_bytes) {
        uint64_t ring_size = abi_trace_words_size(options->thread_words);
        uint64_t fewer = (size - options->max_bytes + ring_size - 1) / ring_size;
        options->max_threads -=
            fewer < options->max_threads ? (uint32_t)fewer : options->max_threads;
        size = planned_size(options);
    }
    if (size > options->max_bytes) {
        options->main_words = shortened(options->main_words, size - options->max_bytes);
    }
    return planned_size(options);
}

void beat_rings_init(struct beat_recorder *recorder)
{
    struct abi_trace_header *header = recorder->header;
    const struct beat_options *options = &recorder->options;

    header->ring_table_offset = ABI_TRACE_PAGE;
    header->ring_count = beat_rings_count(options);
    header->ring_size = sizeof(struct abi_trace_ring);
    header->mark_table_offset = abi_trace_marks_offset(header->ring_count);
    header->mark_count = BEAT_MARK_COUNT;
    header->mark_size = sizeof(struct abi_trace_mark);
    uint8_t *bytes = recorder->memory->bytes;
    recorder->rings = (struct abi_trace_ring *)(void *)(bytes + header->ring_table_offset);
    recorder->marks = (struct abi_trace_mark *)(void *)(bytes + header->mark_table_offset);
    uint64_t offset = abi_trace_words_offset(header->ring_count, BEAT_MARK_COUNT);
    for (uint32_t i = 0; i < count_threads(options); i++) {
        struct abi_trace_ring *ring = &recorder->rings[i];
        ring->is_main = i == MAIN_RING;
        ring->capacity = words_of(options, i);
        ring->words_offset = offset;
        offset += abi_trace_words_size(ring->capacity);
    }
    recorder->lanes = (struct beat_lanes){.words_offset = offset};
}

/* How many of the table's entries are not lanes. */
static uint32_t thread_rings(const struct beat_recorder *recorder)
{
    return recorder->memory->plan.ring_count - recorder->memory->plan.lane_count;
}

uint32_t beat_rings_used_count(const struct beat_recorder *recorder)
{
    return thread_rings(recorder) + recorder->lanes.used;
}

static uint64_t end_of(const struct abi_trace_ring *ring)
{
    return ring->words_offset + abi_trace_words_size(ring->capacity);
}

/* Up to the newest word that the ring has ever had. */
static uint64_t used_end_of(const struct abi_trace_ring *ring)
{
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t highest = atomic_load_explicit(&ring->highest, memory_order_relaxed);
    uint64_t words = (written > highest ? written : highest) - ring->base;

    return ring->words_offset + (words < ring->capacity ? words : ring->capacity) * sizeof(words);
}

void beat_rings_used(const struct beat_recorder *recorder,
                     struct beat_extent extents[BEAT_RINGS_EXTENTS])
{
    const struct abi_trace_ring *main = &recorder->rings[MAIN_RING];
    uint64_t main_end = end_of(main);
    uint32_t last = beat_rings_used_count(recorder) - 1;

    while (last > MAIN_RING && recorder->rings[last].state == ABI_RING_UNUSED) {
        last--;
    }
    uint64_t rest = end_of(&recorder->rings[last]) - main_end;
    extents[0] = (struct beat_extent){0, main_end, used_end_of(main)};
    extents[1] = (struct beat_extent){main_end, rest, rest};
}

/* thread: NULL if it is not the calling one. */
static void name_ring(const struct beat_recorder *recorder, struct abi_trace_ring *ring,
                      const struct beat_thread *thread)
{
    if (thread != NULL && thread->name[0] != '\0') {
        beat_name_copy(ring->thread_name, thread->name);
    } else if (ring->is_main && recorder->main_name[0] != '\0') {
        beat_name_copy(ring->thread_name, recorder->main_name);
    } else {
        beat_name_of_thread(ring->thread_name, ring->thread_id);
    }
}

struct abi_trace_ring *beat_rings_find(const struct beat_recorder *recorder,
                                       const struct beat_thread *thread)
{
    if (thread->memory == NULL || thread->memory != recorder->memory || thread->claim == 0) {
        return NULL;
    }
    for (uint32_t i = 0; i < thread_rings(recorder); i++) {
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
    for (uint32_t i = MAIN_RING + 1; i < thread_rings(recorder); i++) {
        if (recorder->rings[i].state == ABI_RING_UNUSED) {
            return &recorder->rings[i];
        }
    }
    return NULL;
}

static struct abi_trace_ring *find_longest_ended(struct beat_recorder *recorder)
{
    struct abi_trace_ring *found = NULL;

    for (uint32_t i = MAIN_RING + 1; i < thread_rings(recorder); i++) {
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

    atomic_fetch_add_explicit(&recorder->header->recycled_words, kept, memory_order_relaxed);
    ring->claim = 0; /* marks and copies of the old owner end here */
    atomic_store_explicit(&ring->written, 0, memory_order_release);
    atomic_store_explicit(&ring->settled, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->highest, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->dropped_calls, 0, memory_order_relaxed);
    ring->thread_name[0] = '\0';
}

/* Once a session: refused threads ask again and again. */
static void tell_full(struct beat_recorder *recorder)
{
    uint32_t session = beat_present(recorder);

    if (recorder->full_session != session) {
        recorder->full_session = session;
        beat_log(&recorder->options, "no room on disk for the records of another thread");
    }
}

static struct abi_trace_ring *find_ring(struct beat_recorder *recorder, bool is_main)
{
    struct abi_trace_ring *ring = is_main ? &recorder->rings[MAIN_RING] : find_unused(recorder);

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

uint32_t beat_rings_min_units(const struct abi_trace_header *header)
{
    uint64_t rate = atomic_load_explicit(&header->ns_per_unit, memory_order_relaxed);
    uint64_t units = abi_trace_units(rate, header->min_ns);

    return header->min_ns != 0 && units == 0 ? 1 : (uint32_t)units;
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
    cursor->min_units = beat_rings_min_units(header);
    cursor->keeps_sums = recorder->options.profile == BEAT_ON;
    /* Relaxed: its writer itself goes on from here. */
    atomic_store_explicit(&cursor->low_index, 0 - count - 1, memory_order_relaxed);
}

/* Copy what the hot path needs, so that of what other threads may write it reads the count alone.
 * A probe of ours may be under way, with a signal handler in it: what tells where it stores does
 * not change here, unless it is a ring that nobody had. */
struct beat_cursor *beat_rings_point(const struct beat_recorder *recorder,
                                     struct abi_trace_ring *ring)
{
    struct beat_cursor *halves = recorder->memory->cursors[ring - recorder->rings];

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

/* The ring's new owner, published last. thread: NULL if it is not the calling one. */
static void give_ring(struct beat_recorder *recorder, struct abi_trace_ring *ring,
                      uint32_t thread_id, const struct beat_thread *thread)
{
    ring->thread_id = thread_id;
    ring->claim = (uint32_t)++recorder->claims;
    name_ring(recorder, ring, thread);
    atomic_store_explicit(&ring->state, ABI_RING_LIVE, memory_order_release);
}

bool beat_rings_claim_main(struct beat_recorder *recorder, uint32_t thread_id)
{
    struct abi_trace_ring *ring = &recorder->rings[MAIN_RING];

    if (ring->state != ABI_RING_LIVE) {
        ring = find_ring(recorder, true);
        if (ring == NULL) {
            return false;
        }
        give_ring(recorder, ring, thread_id, NULL);
    }
    return ring->thread_id == thread_id;
}

static bool refuse(const struct beat_recorder *recorder, struct beat_thread *thread, bool is_main)
{
    thread->cursor = &beat_nobody;
    thread->claim = 0;
    thread->refused_as_other = !is_main && recorder->options.threads != BEAT_THREADS_ALL;
    thread->refused_session = beat_present(recorder);
    /* Only who counts what it loses has anything to do with this memory. */
    beat_memory_pin(&thread->memory, thread->refused_as_other ? NULL : recorder->memory);
    return false;
}

bool beat_rings_claim(struct beat_recorder *recorder, struct beat_thread *thread)
{
    if (thread->thread_id == 0) {
        thread->thread_id = (uint32_t)syscall(SYS_gettid);
    }
    bool is_main = thread->thread_id == (uint32_t)recorder->options.main_thread;
    struct abi_trace_ring *main_ring = &recorder->rings[MAIN_RING];
    struct abi_trace_ring *ring = beat_rings_find(recorder, thread);
    if (ring == NULL && main_ring->state == ABI_RING_LIVE &&
        main_ring->thread_id == thread->thread_id) {
        ring = main_ring; /* claimed for us from Java */
    }
    if (ring != NULL) {
        point_thread(recorder, thread, ring);
        return true;
    }
    if (is_main || recorder->options.threads == BEAT_THREADS_ALL) {
        ring = find_ring(recorder, is_main);
    }
    if (ring == NULL) {
        return refuse(recorder, thread, is_main);
    }
    give_ring(recorder, ring, thread->thread_id, thread);
    point_thread(recorder, thread, ring);
    /* Have the first page at hand before a time is taken: a file system may need a millisecond. */
    atomic_store_explicit(thread->cursor->words_end - thread->cursor->end_slot, ABI_EMPTY_WORD,
                          memory_order_relaxed);
    return true;
}

void beat_rings_close(struct beat_recorder *recorder)
{
    for (uint32_t i = 0; i < thread_rings(recorder) + recorder->lanes.used; i++) {
        struct beat_cursor *halves = recorder->memory->cursors[i];
        /* Relaxed: a probe that does not see it is a late one. */
        atomic_store_explicit(&halves[0].low_index, BEAT_CLOSED, memory_order_relaxed);
        atomic_store_explicit(&halves[1].low_index, BEAT_CLOSED, memory_order_relaxed);
    }
}

void beat_rings_rename(struct beat_recorder *recorder, const struct beat_thread *thread)
{
    struct abi_trace_ring *ring = beat_rings_find(recorder, thread);

    if (ring != NULL) {
        name_ring(recorder, ring, thread);
    }
}

void beat_rings_end(struct beat_recorder *recorder, const struct beat_thread *thread)
{
    struct abi_trace_ring *ring = beat_rings_find(recorder, thread);

    if (ring != NULL) {
        name_ring(recorder, ring, thread);
        atomic_store_explicit(&ring->state, ABI_RING_ENDED, memory_order_release);
    }
}
