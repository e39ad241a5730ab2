#include "recorder/rings.h"

#include "abi/record.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAIN_RING 0u
#define MIN_WORDS 1024u

static uint32_t ring_count(const struct beat_options *options)
{
    return options->threads == BEAT_THREADS_ALL ? options->max_threads + 1 : 1;
}

static uint64_t planned_size(const struct beat_options *options)
{
    uint32_t count = ring_count(options);

    return abi_trace_words_offset(count, BEAT_MARK_COUNT) +
           abi_trace_words_size(options->main_words) +
           (count - 1) * abi_trace_words_size(options->thread_words);
}

static uint32_t at_least(uint32_t value, uint32_t least)
{
    return value < least ? least : value;
}

uint64_t beat_rings_plan(struct beat_options *options)
{
    options->main_words = at_least(options->main_words, MIN_WORDS);
    options->thread_words = at_least(options->thread_words, MIN_WORDS);
    if (options->max_threads >= ABI_TRACE_MAX_RINGS) {
        options->max_threads = ABI_TRACE_MAX_RINGS - 1;
    }
    uint64_t too_much = planned_size(options);
    if (options->threads == BEAT_THREADS_ALL && too_much > options->max_bytes) {
        uint64_t ring_size = abi_trace_words_size(options->thread_words);
        uint64_t fewer = (too_much - options->max_bytes + ring_size - 1) / ring_size;
        options->max_threads -=
            fewer < options->max_threads ? (uint32_t)fewer : options->max_threads;
    }
    return planned_size(options);
}

void beat_rings_init(struct beat_recorder *recorder)
{
    struct abi_trace_header *header = recorder->header;
    const struct beat_options *options = &recorder->options;

    header->ring_table_offset = ABI_TRACE_PAGE;
    header->ring_count = ring_count(options);
    header->ring_size = sizeof(struct abi_trace_ring);
    header->mark_table_offset = abi_trace_marks_offset(header->ring_count);
    header->mark_count = BEAT_MARK_COUNT;
    header->mark_size = sizeof(struct abi_trace_mark);
    uint8_t *bytes = recorder->memory.bytes;
    recorder->rings = (struct abi_trace_ring *)(void *)(bytes + header->ring_table_offset);
    recorder->marks = (struct abi_trace_mark *)(void *)(bytes + header->mark_table_offset);
    uint64_t offset = abi_trace_words_offset(header->ring_count, BEAT_MARK_COUNT);
    for (uint32_t i = 0; i < header->ring_count; i++) {
        struct abi_trace_ring *ring = &recorder->rings[i];
        ring->is_main = i == MAIN_RING;
        ring->capacity = ring->is_main ? options->main_words : options->thread_words;
        ring->words_offset = offset;
        offset += abi_trace_words_size(ring->capacity);
    }
}

uint64_t beat_rings_used_size(const struct beat_recorder *recorder)
{
    uint32_t last = recorder->header->ring_count - 1;

    while (last > MAIN_RING && recorder->rings[last].state == ABI_RING_UNUSED) {
        last--;
    }
    const struct abi_trace_ring *ring = &recorder->rings[last];
    return ring->words_offset + abi_trace_words_size(ring->capacity);
}

/* The system's name for a thread; Java threads have one too. */
static void read_thread_name(uint32_t thread_id, char *name, size_t size)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/self/task/%u/comm", thread_id);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return; /* keep what is there */
    }
    if (fgets(name, (int)size, file) != NULL) {
        name[strcspn(name, "\n")] = '\0';
    }
    (void)fclose(file);
}

static void name_ring(const struct beat_recorder *recorder, struct abi_trace_ring *ring)
{
    if (ring->is_main && recorder->main_name[0] != '\0') {
        memcpy(ring->thread_name, recorder->main_name, sizeof(ring->thread_name));
    } else {
        read_thread_name(ring->thread_id, ring->thread_name, sizeof(ring->thread_name));
    }
}

/* The cursor may already write to a ring of this session: it was moved to a file, say. */
static bool still_owns(const struct beat_recorder *recorder, const struct beat_cursor *cursor)
{
    if (cursor->ring == NULL || cursor->ring_index >= recorder->header->ring_count) {
        return false;
    }
    const struct abi_trace_ring *ring = &recorder->rings[cursor->ring_index];
    return ring == cursor->ring && ring->state == ABI_RING_LIVE && ring->claim == cursor->claim &&
           ring->thread_id == cursor->thread_id;
}

static struct abi_trace_ring *find_unused(struct beat_recorder *recorder)
{
    for (uint32_t i = MAIN_RING + 1; i < recorder->header->ring_count; i++) {
        if (recorder->rings[i].state == ABI_RING_UNUSED) {
            return &recorder->rings[i];
        }
    }
    return NULL;
}

static struct abi_trace_ring *find_longest_ended(struct beat_recorder *recorder)
{
    struct abi_trace_ring *found = NULL;

    for (uint32_t i = MAIN_RING + 1; i < recorder->header->ring_count; i++) {
        struct abi_trace_ring *ring = &recorder->rings[i];
        /* claim grows with every ring given out, so the oldest owner has the lowest. */
        if (ring->state == ABI_RING_ENDED && (found == NULL || ring->claim < found->claim)) {
            found = ring;
        }
    }
    return found;
}

/* Take the words of an ended thread out, in an order that a kill between two stores cannot harm:
 * without words the rest is only a name. */
static void empty_ring(struct beat_recorder *recorder, struct abi_trace_ring *ring)
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

static struct abi_trace_ring *find_ring(struct beat_recorder *recorder, bool is_main)
{
    struct abi_trace_ring *ring = is_main ? &recorder->rings[MAIN_RING] : find_unused(recorder);

    if (ring != NULL && ring->state == ABI_RING_UNUSED) {
        uint64_t size = abi_trace_words_size(ring->capacity);
        if (beat_memory_reserve(&recorder->memory, ring->words_offset, size)) {
            return ring;
        }
        beat_log(&recorder->options, "no room on disk for the records of another thread");
    }
    ring = is_main ? ring : find_longest_ended(recorder);
    if (ring == NULL || ring->state != ABI_RING_ENDED) {
        return NULL;
    }
    empty_ring(recorder, ring);
    return ring;
}

uint32_t beat_rings_min_units(const struct abi_trace_header *header)
{
    uint64_t rate = atomic_load_explicit(&header->ns_per_unit, memory_order_relaxed);
    uint64_t units = header->min_ns * (rate & UINT32_MAX) / (rate >> 32);

    return header->min_ns != 0 && units == 0 ? 1 : (uint32_t)units;
}

/* Copy what the hot path needs, so that it reads nothing that another thread may write. */
static void point_cursor(const struct beat_recorder *recorder, struct beat_cursor *cursor,
                         struct abi_trace_ring *ring)
{
    struct abi_trace_header *header = recorder->header;
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    bool is_coarse = header->clock_kind == ABI_CLOCK_COARSE;

    cursor->header = header;
    cursor->ring = ring;
    cursor->ring_index = (uint32_t)(ring - recorder->rings);
    cursor->claim = ring->claim;
    cursor->words = (_Atomic(uint64_t) *)(void *)(recorder->memory.bytes + ring->words_offset);
    cursor->capacity = ring->capacity;
    uint64_t lap_start = written - written % ring->capacity;
    beat_cursor_begin_lap(cursor, lap_start);
    cursor->coarse_time = is_coarse ? &header->coarse_time : NULL;
    cursor->counter_start = header->counter_start;
    cursor->counter_shift = header->counter_shift;
    cursor->min_units = beat_rings_min_units(header);
    /* Words of an earlier lap cannot be taken back: see take_back in recorder.c. */
    if (atomic_load_explicit(&ring->settled, memory_order_relaxed) < lap_start) {
        atomic_store_explicit(&ring->settled, lap_start, memory_order_relaxed);
    }
    cursor->session = atomic_load_explicit(&recorder->session, memory_order_relaxed);
}

/* The ring's new owner, published last. */
static void give_ring(struct beat_recorder *recorder, struct abi_trace_ring *ring,
                      uint32_t thread_id)
{
    ring->thread_id = thread_id;
    ring->claim = (uint32_t)++recorder->claims;
    name_ring(recorder, ring);
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
        give_ring(recorder, ring, thread_id);
    }
    return ring->thread_id == thread_id;
}

static bool refuse(const struct beat_recorder *recorder, struct beat_cursor *cursor, bool is_main)
{
    cursor->header = recorder->header;
    cursor->refused_as_other = !is_main && recorder->options.threads != BEAT_THREADS_ALL;
    cursor->refused_session = atomic_load_explicit(&recorder->session, memory_order_relaxed);
    return false;
}

bool beat_rings_claim(struct beat_recorder *recorder, struct beat_cursor *cursor)
{
    if (cursor->thread_id == 0) {
        cursor->thread_id = (uint32_t)syscall(SYS_gettid);
    }
    bool is_main = cursor->thread_id == (uint32_t)recorder->options.main_thread;
    struct abi_trace_ring *main_ring = &recorder->rings[MAIN_RING];
    if (still_owns(recorder, cursor)) {
        point_cursor(recorder, cursor, cursor->ring);
        return true;
    }
    if (main_ring->state == ABI_RING_LIVE && main_ring->thread_id == cursor->thread_id) {
        point_cursor(recorder, cursor, main_ring); /* claimed for us from Java */
        return true;
    }
    struct abi_trace_ring *ring = NULL;
    if (is_main || recorder->options.threads == BEAT_THREADS_ALL) {
        ring = find_ring(recorder, is_main);
    }
    if (ring == NULL) {
        return refuse(recorder, cursor, is_main);
    }
    give_ring(recorder, ring, cursor->thread_id);
    cursor->named = false;
    point_cursor(recorder, cursor, ring);
    /* Have the first page at hand before a time is taken: a file system may need a millisecond. */
    atomic_store_explicit(&cursor->words[0], ABI_EMPTY_WORD, memory_order_relaxed);
    return true;
}

void beat_rings_end(struct beat_recorder *recorder, const struct beat_cursor *cursor)
{
    if (recorder->header != NULL && still_owns(recorder, cursor)) {
        if (!cursor->named) {
            name_ring(recorder, cursor->ring);
        }
        atomic_store_explicit(&cursor->ring->state, ABI_RING_ENDED, memory_order_release);
    }
}
