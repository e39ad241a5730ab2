#include "recorder/copy.h"

#include "abi/record.h"

#include <string.h>

/* Java writes without memory orders: stay clear of what it may be storing. */
#define FOREIGN_SLACK 256u

static uint64_t lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t higher(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint32_t claim_of(const struct abi_trace_ring *ring)
{
    return atomic_load_explicit(&ring->claim, memory_order_relaxed);
}

struct beat_source beat_source_of(const struct beat_recorder *recorder, struct beat_memory *memory,
                                  uint32_t index)
{
    const struct abi_trace_header *header = (const void *)memory->bytes;
    const struct abi_trace_ring *rings = (const void *)(memory->bytes + header->ring_table_offset);
    const void *words = memory->bytes + rings[index].words_offset;

    return (struct beat_source){
        .memory = memory,
        .ring = &rings[index],
        .slots = words,
        .claim = claim_of(&rings[index]),
        .slack = recorder->java_writes_main && rings[index].is_main ? FOREIGN_SLACK : 1,
        .goes_back = header->min_ns != 0,
    };
}

/* The lowest position that surely holds its own word while the next one is being stored. written
 * was loaded before with acquire, so that highest is at least what it had gone back from. */
static uint64_t oldest_whole(const struct beat_source *source, uint64_t written)
{
    uint64_t highest = atomic_load_explicit(&source->ring->highest, memory_order_relaxed);
    uint64_t end = higher(written, highest) + source->slack;

    return end > source->ring->capacity ? end - source->ring->capacity : 0;
}

bool beat_source_has_lapped(const struct beat_source *source, uint64_t position)
{
    uint64_t written = atomic_load_explicit(&source->ring->written, memory_order_acquire);

    return position < oldest_whole(source, written);
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

/* With min_ns the words behind settled are entries of open calls, and may have been taken back and
 * written over while we copied. Those that are still the same now were all on the stack at the
 * moment between the two readings, and no newer one was below them. */
static uint64_t end_of_same(const struct beat_source *source, struct beat_range range,
                            uint64_t settled, const uint64_t *words)
{
    uint64_t capacity = source->ring->capacity;
    uint64_t p = higher(settled, range.first);

    /* What a mark settles, the writer may be taking back at that moment. Exits stay for good. */
    while (p > range.first && abi_record_is_enter(words[p - 1 - range.first])) {
        p--;
    }
    while (p < range.end &&
           words[p - range.first] ==
               atomic_load_explicit(&source->slots[p % capacity], memory_order_relaxed)) {
        p++;
    }
    return p;
}

static struct beat_range copy_words(const struct beat_source *source, uint64_t from,
                                    struct beat_room room)
{
    const struct abi_trace_ring *ring = source->ring;
    /* Acquire pairs with the releases in push and leave (probe.c): the words below are there. */
    uint64_t settled = atomic_load_explicit(&ring->settled, memory_order_acquire);
    uint64_t end = atomic_load_explicit(&ring->written, memory_order_acquire);
    uint64_t first = higher(from, oldest_whole(source, end));

    first = end - first > room.count && end > first ? end - room.count : lower(first, end);
    struct beat_range range = {first, end};
    load_words(source, range, room.words);
    /* Pairs with the release of each word: if one of ours was already a newer lap's, or in the
     * place of one taken back, the next load sees how far the writer had come by then; if one was
     * another thread's, the load of claim sees that. */
    atomic_thread_fence(memory_order_acquire);
    uint64_t now = atomic_load_explicit(&ring->written, memory_order_acquire);
    if (source->goes_back) {
        range.end = end_of_same(source, (struct beat_range){first, lower(end, now)},
                                lower(settled, end), room.words);
    }
    range.first = lower(higher(first, oldest_whole(source, now)), range.end);
    memmove(room.words, room.words + (range.first - first),
            (size_t)(range.end - range.first) * sizeof(*room.words));
    return range;
}

/* Is the record of that position one that is never taken back? */
static bool is_final(const struct beat_source *source, uint64_t position, uint64_t old_time)
{
    uint64_t word = atomic_load_explicit(&source->slots[position % source->ring->capacity],
                                         memory_order_relaxed);
    /* Times wrap round: what is less than half the range behind lies behind. */
    bool is_old = abi_record_elapsed(word, old_time) < ABI_TIME_MASK / 2;

    return !abi_record_is_enter(word) || (is_old && !abi_record_is_sum(word));
}

uint64_t beat_copy_end(const struct beat_source *source, uint64_t from, uint64_t old_time)
{
    /* Acquire, both: as in copy_words. */
    uint64_t end = atomic_load_explicit(&source->ring->settled, memory_order_acquire);
    uint64_t written = atomic_load_explicit(&source->ring->written, memory_order_acquire);

    if (!source->goes_back) {
        return written;
    }
    /* A mark settles what the writer may be taking back at that moment: believe exits and age. An
     * entry that is final makes all before it final, an exit too. */
    end = higher(lower(end, written), from);
    while (end > from && !is_final(source, end - 1, old_time)) {
        end--;
    }
    for (uint64_t p = end; p < written; p++) {
        end = is_final(source, p, old_time) ? p + 1 : end;
    }
    return end;
}

bool beat_copy_next(const struct beat_source *source, struct beat_range wanted,
                    struct beat_room room, struct beat_range *range)
{
    const struct abi_trace_ring *ring = source->ring;
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_acquire);
    uint64_t first = lower(higher(wanted.first, oldest_whole(source, written)), wanted.end);
    uint64_t end = lower(wanted.end, first + room.count);

    load_words(source, (struct beat_range){first, end}, room.words);
    /* As in copy_words. */
    atomic_thread_fence(memory_order_acquire);
    uint64_t now = atomic_load_explicit(&ring->written, memory_order_acquire);
    range->first = lower(higher(first, oldest_whole(source, now)), end);
    range->end = end;
    memmove(room.words, room.words + (range->first - first),
            (size_t)(range->end - range->first) * sizeof(*room.words));
    return claim_of(ring) == source->claim;
}

bool beat_copy_ring(struct beat_recorder *recorder, struct beat_source *source, uint64_t from,
                    struct beat_room room, struct beat_range *range)
{
    beat_memory_begin_reading(source->memory);
    beat_unlock(recorder);
    *range = copy_words(source, from, room);
    bool same = claim_of(source->ring) == source->claim;
    (void)beat_lock();
    if (!same) {
        source->claim = claim_of(source->ring);
        *range = copy_words(source, 0, room);
    }
    beat_memory_end_reading(source->memory);
    return same;
}
