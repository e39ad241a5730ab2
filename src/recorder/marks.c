#include "recorder/marks.h"

#include "recorder/session.h"

#include <stdio.h>
#include <string.h>

/* Java writes without memory orders: stay clear of what it may be storing. */
#define FOREIGN_SLACK 256u

static const _Atomic(uint64_t) *slots_of(const struct beat_recorder *recorder,
                                         const struct abi_trace_ring *ring)
{
    return (const _Atomic(uint64_t) *)(const void *)(recorder->memory.bytes + ring->words_offset);
}

static uint64_t lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t higher(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The lowest position that surely holds its own word while the next one is being stored. written
 * was loaded before with acquire, so that highest is at least what it had gone back from. */
static uint64_t oldest_whole(const struct beat_recorder *recorder,
                             const struct abi_trace_ring *ring, uint64_t written)
{
    uint64_t highest = atomic_load_explicit(&ring->highest, memory_order_relaxed);
    uint64_t end = higher(written, highest) + (recorder->foreign_writer ? FOREIGN_SLACK : 1);

    return end > ring->capacity ? end - ring->capacity : 0;
}

static void load_words(const _Atomic(uint64_t) *slots, uint64_t capacity, struct beat_range range,
                       uint64_t *words)
{
    uint64_t slot = range.first % capacity;

    for (uint64_t p = range.first; p < range.end; p++) {
        *words++ = atomic_load_explicit(&slots[slot], memory_order_relaxed);
        slot = slot + 1 < capacity ? slot + 1 : 0;
    }
}

/* With min_ns the words behind settled are entries of open calls, and may have been taken back and
 * written over while we copied. Those that are still the same now were all on the stack at the
 * moment between the two readings, and no newer one was below them. */
static uint64_t end_of_same(const _Atomic(uint64_t) *slots, uint64_t capacity,
                            struct beat_range range, uint64_t settled, const uint64_t *words)
{
    uint64_t p = settled > range.first ? settled : range.first;

    while (p < range.end && words[p - range.first] ==
                                atomic_load_explicit(&slots[p % capacity], memory_order_relaxed)) {
        p++;
    }
    return p;
}

struct beat_range beat_ring_copy(const struct beat_recorder *recorder, uint32_t index,
                                 uint64_t from, uint64_t *words, uint64_t room)
{
    const struct abi_trace_ring *ring = &recorder->rings[index];
    const _Atomic(uint64_t) *slots = slots_of(recorder, ring);
    /* Acquire pairs with the releases in push and leave (recorder.c): the words below are there. */
    uint64_t settled = atomic_load_explicit(&ring->settled, memory_order_acquire);
    uint64_t end = atomic_load_explicit(&ring->written, memory_order_acquire);
    uint64_t first = higher(from, oldest_whole(recorder, ring, end));

    first = end - first > room && end > first ? end - room : lower(first, end);
    struct beat_range range = {first, end};
    load_words(slots, ring->capacity, range, words);
    /* Pairs with the release of each word: if one of ours was already a newer lap's, or in the
     * place of one taken back, the next load sees how far the writer had come by then. */
    atomic_thread_fence(memory_order_acquire);
    uint64_t now = atomic_load_explicit(&ring->written, memory_order_acquire);
    if (recorder->header->min_ns != 0) {
        range.end = end_of_same(slots, ring->capacity, (struct beat_range){first, lower(end, now)},
                                lower(settled, end), words);
    }
    range.first = lower(higher(first, oldest_whole(recorder, ring, now)), range.end);
    memmove(words, words + (range.first - first),
            (size_t)(range.end - range.first) * sizeof(*words));
    return range;
}

/* ---- Marks ---- */

#define MAIN_RING 0u

static uint32_t ring_of(enum beat_whose whose, const struct beat_cursor *cursor)
{
    return whose == BEAT_SELF && cursor != NULL ? cursor->ring_index : MAIN_RING;
}

static bool is_lapped(const struct beat_recorder *recorder, uint32_t index, uint64_t position)
{
    const struct abi_trace_ring *ring = &recorder->rings[index];
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_acquire);

    return position < oldest_whole(recorder, ring, written);
}

static bool is_valid(const struct beat_recorder *recorder, const struct beat_mark *mark)
{
    return mark->session == recorder->recorded_session && mark->session != BEAT_NO_SESSION &&
           recorder->rings[mark->ring].claim == mark->claim &&
           !is_lapped(recorder, mark->ring, mark->position);
}

/* A free place in the file's table, else one whose range is gone: as long as there are free ones, a
 * report can say that a mark was lapped. 0 if there is none. */
static uint32_t find_slot(const struct beat_recorder *recorder)
{
    uint32_t gone = 0;

    for (uint32_t i = 0; i < recorder->header->mark_count; i++) {
        const struct abi_trace_mark *mark = &recorder->marks[i];
        uint32_t ring = mark->in_use - 1;
        if (mark->in_use == 0) {
            return i + 1;
        }
        if (gone == 0 && (recorder->rings[ring].claim != mark->claim ||
                          is_lapped(recorder, ring, mark->position))) {
            gone = i + 1;
        }
    }
    return gone;
}

static void put_in_file(struct beat_recorder *recorder, struct beat_mark *mark, const char *source)
{
    mark->slot = find_slot(recorder);
    if (mark->slot == 0) {
        return;
    }
    struct abi_trace_mark *entry = &recorder->marks[mark->slot - 1];
    atomic_store_explicit(&entry->in_use, 0, memory_order_release); /* if killed half-way */
    entry->claim = mark->claim;
    entry->position = mark->position;
    (void)snprintf(entry->source, sizeof(entry->source), "%s", source != NULL ? source : "");
    atomic_store_explicit(&entry->in_use, mark->ring + 1, memory_order_release);
}

struct beat_mark beat_mark(enum beat_whose whose, const char *source)
{
    struct beat_mark mark = {0};
    const struct beat_cursor *cursor = beat_own_cursor();
    struct beat_recorder *recorder = beat_session_lock();

    if (recorder->recorded_session != BEAT_NO_SESSION && beat_is_recording()) {
        mark.session = recorder->recorded_session;
        mark.ring = ring_of(whose, cursor);
        struct abi_trace_ring *ring = &recorder->rings[mark.ring];
        mark.claim = ring->claim;
        mark.position = atomic_load_explicit(&ring->written, memory_order_acquire);
        if (recorder->header->min_ns != 0) {
            /* Relaxed: pairs with take_back (recorder.c): what lies before the mark stays. */
            atomic_store_explicit(&ring->settled, mark.position, memory_order_relaxed);
        }
        put_in_file(recorder, &mark, source);
    }
    beat_session_unlock(recorder);
    return mark;
}

bool beat_mark_is_valid(const struct beat_mark *mark)
{
    struct beat_recorder *recorder = beat_session_lock();
    bool valid = is_valid(recorder, mark);

    beat_session_unlock(recorder);
    return valid;
}

void beat_unmark(struct beat_mark *mark)
{
    struct beat_recorder *recorder = beat_session_lock();

    if (mark->session == recorder->recorded_session && mark->slot != 0) {
        struct abi_trace_mark *entry = &recorder->marks[mark->slot - 1];
        if (entry->claim == mark->claim && entry->position == mark->position) {
            atomic_store_explicit(&entry->in_use, 0, memory_order_release);
        }
    }
    mark->slot = 0;
    beat_session_unlock(recorder);
}

bool beat_copy(const struct beat_mark *from, enum beat_whose whose, uint64_t *words, size_t *count)
{
    const struct beat_cursor *cursor = from == NULL ? beat_own_cursor() : NULL;
    struct beat_recorder *recorder = beat_session_lock();
    bool valid =
        from != NULL ? is_valid(recorder, from) : recorder->recorded_session != BEAT_NO_SESSION;
    struct beat_range range = {0};

    if (valid) {
        uint32_t ring = from != NULL ? from->ring : ring_of(whose, cursor);
        uint64_t start = from != NULL ? from->position : 0;
        range = beat_ring_copy(recorder, ring, start, words, *count);
    }
    beat_session_unlock(recorder);
    *count = (size_t)(range.end - range.first);
    return valid;
}
