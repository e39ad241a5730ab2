#include "recorder/copy.h"

#include "base/number.h"

#include <assert.h>
#include <string.h>

/* Java writes without memory orders: stay clear of what it may be storing. */
#define JAVA_SLACK 256u

static uint32_t claim_of(const struct abi_trace_ring *ring)
{
    return atomic_load_explicit(&ring->claim, memory_order_relaxed);
}

/* Acquire pairs with the release of the count in push_word (probe.c): the words below are there. */
static uint64_t load_written(const struct beat_source *source)
{
    return atomic_load_explicit(&source->ring->written, memory_order_acquire);
}

struct beat_source beat_source_of(struct beat_memory *memory, uint32_t index, bool java_writes)
{
    const struct abi_trace_ring *rings =
        (const void *)(memory->bytes + memory->header->ring_table_offset);
    const void *words = memory->bytes + rings[index].words_offset;

    return (struct beat_source){
        .memory = memory,
        .ring = &rings[index],
        .slots = words,
        .claim = claim_of(&rings[index]),
        .slack = java_writes && !rings[index].is_virtual ? JAVA_SLACK : 1,
    };
}

/* The lowest position that surely holds its own word while the next one is being stored. */
static uint64_t oldest_whole(const struct beat_source *source, uint64_t written)
{
    uint64_t end = written + source->slack;

    return end > source->ring->capacity ? end - source->ring->capacity : 0;
}

bool beat_source_has_lapped(const struct beat_source *source, uint64_t position)
{
    return position < oldest_whole(source, load_written(source));
}

static void load_words(const struct beat_source *source, struct beat_range range, uint64_t *words)
{
    uint64_t capacity = source->ring->capacity;
    uint64_t slot = range.first % capacity;

    for (uint64_t p = range.first; p < range.end; p++) {
        *words++ = atomic_load_explicit(&source->slots[slot], memory_order_relaxed);
        slot = slot + 1 < capacity ? slot + 1 : 0;
    }
}

/* Copy the range; what the writer may have overtaken meanwhile is left out of the result. */
static struct beat_range copy_range(const struct beat_source *source, struct beat_range range,
                                    uint64_t *words)
{
    assert(range.first <= range.end);
    load_words(source, range, words);
    /* Pairs with the release of each word: if one in words was a newer lap's, the next load sees
     * how far the writer had come by then; if one was another thread's, the load of claim sees
     * that. */
    atomic_thread_fence(memory_order_acquire);
    uint64_t oldest = oldest_whole(source, load_written(source));
    uint64_t first = mb_min_u64(mb_max_u64(range.first, oldest), range.end);
    memmove(words, words + (first - range.first), (size_t)(range.end - first) * sizeof(*words));
    return (struct beat_range){first, range.end};
}

static struct beat_range copy_newest(const struct beat_source *source, uint64_t from,
                                     struct beat_room room)
{
    uint64_t end = load_written(source);
    uint64_t first = mb_min_u64(mb_max_u64(from, oldest_whole(source, end)), end);

    first = end - first > room.count ? end - room.count : first;
    return copy_range(source, (struct beat_range){first, end}, room.words);
}

bool beat_copy_next(const struct beat_source *source, struct beat_range wanted,
                    struct beat_room room, struct beat_range *range)
{
    uint64_t oldest = oldest_whole(source, load_written(source));
    uint64_t first = mb_min_u64(mb_max_u64(wanted.first, oldest), wanted.end);
    uint64_t end = mb_min_u64(wanted.end, first + room.count);

    *range = copy_range(source, (struct beat_range){first, end}, room.words);
    return claim_of(source->ring) == source->claim;
}

bool beat_copy_ring(struct beat_recorder *recorder, struct beat_source *source, uint64_t from,
                    struct beat_room room, struct beat_range *range)
{
    beat_memory_begin_reading(source->memory);
    beat_unlock(recorder);
    *range = copy_newest(source, from, room);
    bool same = claim_of(source->ring) == source->claim;
    (void)beat_lock();
    if (!same) {
        source->claim = claim_of(source->ring);
        *range = copy_newest(source, 0, room);
    }
    beat_memory_end_reading(source->memory);
    return same;
}
