#include "recorder/here.h"

#include "abi/record.h"
#include "recorder/attach.h"
#include "recorder/clock.h"
#include "recorder/copy.h"
#include "recorder/rings.h"

static bool is_closed(const struct beat_cursor *cursor)
{
    /* Relaxed: see beat_rings_close. */
    return atomic_load_explicit(&cursor->low_index, memory_order_relaxed) == BEAT_CLOSED;
}

static struct beat_here get_position(const struct beat_cursor *cursor)
{
    /* Relaxed: only this thread writes it. */
    return (struct beat_here){
        .ring = cursor->ring,
        .claim = beat_thread.claim,
        .position = atomic_load_explicit(&cursor->ring->written, memory_order_relaxed),
    };
}

struct beat_here beat_here(void)
{
    const struct beat_cursor *cursor = beat_thread.cursor;

    return is_closed(cursor) ? (struct beat_here){0} : get_position(cursor);
}

struct beat_here beat_here_enter(void)
{
    /* Relaxed: attaching looks again. */
    if (!beat_is_recording()) {
        return (struct beat_here){0};
    }
    const struct beat_cursor *cursor = beat_attached_cursor();
    struct beat_here here = cursor != NULL ? get_position(cursor) : (struct beat_here){0};
    if (cursor != NULL) {
        beat_i(BEAT_MESSAGE_ID);
    }
    return here;
}

void beat_here_kind(uint32_t kind, bool begins)
{
    if (is_closed(beat_thread.cursor)) {
        return;
    }
    if (begins) {
        beat_i(kind);
    } else {
        beat_o(kind);
    }
}

struct beat_here beat_here_leave(void)
{
    if (is_closed(beat_thread.cursor)) {
        return (struct beat_here){0};
    }
    beat_o(BEAT_MESSAGE_ID);
    return beat_here();
}

/* ---- Copying ---- */

bool beat_here_find(const struct beat_recorder *recorder, const struct beat_here *here,
                    uint32_t *index)
{
    if (recorder->recorded_session == BEAT_NO_SESSION || here->ring == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < beat_rings_used_count(recorder); i++) {
        if (&recorder->rings[i] == here->ring) {
            *index = i;
            return atomic_load_explicit(&here->ring->claim, memory_order_relaxed) == here->claim;
        }
    }
    return false;
}

/* Called under the lock, which is given up meanwhile. */
static bool copy_part(struct beat_recorder *recorder, const struct beat_source *source,
                      struct beat_range wanted, struct beat_room room, struct beat_range *range)
{
    if (wanted.end - wanted.first > room.count) {
        wanted.first = wanted.end - room.count;
    }
    beat_memory_begin_reading(source->memory);
    beat_unlock(recorder);
    bool is_same = beat_copy_next(source, wanted, room, range);
    (void)beat_lock();
    beat_memory_end_reading(source->memory);
    return is_same;
}

static bool copy_positions(struct beat_recorder *recorder, uint32_t index, struct beat_range wanted,
                           struct beat_room room, struct beat_range *range)
{
    struct beat_source source = beat_source_of(recorder->memory, index, recorder->java_writes);

    if (wanted.end == BEAT_TO_THE_END) {
        return beat_copy_ring(recorder, &source, wanted.first, room, range);
    }
    /* Acquire pairs with the release in push_word (probe.c). */
    uint64_t written = atomic_load_explicit(&source.ring->written, memory_order_acquire);
    if (wanted.end < wanted.first || wanted.end > written) {
        return false; /* of another life of the ring */
    }
    return copy_part(recorder, &source, wanted, room, range);
}

bool beat_here_copy(const struct beat_here *from, uint64_t end, uint64_t *words, size_t room,
                    struct beat_copied *copied)
{
    struct beat_range range = {0};
    uint32_t index = 0;
    struct beat_recorder *recorder = beat_lock();

    *copied = (struct beat_copied){0};
    bool is_there = beat_here_find(recorder, from, &index);
    if (is_there) {
        copied->now = beat_clock_now(recorder->header);
        copied->ns_per_unit =
            atomic_load_explicit(&recorder->header->ns_per_unit, memory_order_relaxed);
        is_there = copy_positions(recorder, index, (struct beat_range){from->position, end},
                                  (struct beat_room){words, room}, &range);
    }
    beat_unlock(recorder);
    copied->first = range.first;
    copied->count = is_there ? (size_t)(range.end - range.first) : 0;
    copied->is_lapped = is_there && range.first > from->position;
    return is_there;
}
