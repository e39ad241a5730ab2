#include "recorder/attach.h"
#include "recorder/copy.h"
#include "recorder/here.h"
#include "recorder/rings.h"

#include <stdio.h>

/* Find the index of the main ring or the caller's own; false if absent. */
static bool find_ring(const struct beat_recorder *recorder, enum beat_whose whose, uint32_t *index)
{
    const struct abi_trace_ring *ring = &recorder->rings[BEAT_MAIN_RING];

    if (recorder->recorded_session == BEAT_NO_SESSION) {
        return false;
    }
    if (whose == BEAT_SELF) {
        ring = beat_rings_find(recorder, &beat_thread);
    }
    *index = ring != NULL ? (uint32_t)(ring - recorder->rings) : 0;
    return ring != NULL;
}

static bool is_lapped(const struct beat_recorder *recorder, uint32_t index, uint64_t position)
{
    const struct beat_source source =
        beat_source_of(recorder->memory, index, recorder->java_writes);

    return beat_source_has_lapped(&source, position);
}

static bool is_valid(const struct beat_recorder *recorder, const struct beat_mark *mark)
{
    return mark->session == recorder->recorded_session && mark->session != BEAT_NO_SESSION &&
           recorder->rings[mark->ring].claim == mark->claim &&
           !is_lapped(recorder, mark->ring, mark->position);
}

/* A free slot of the file's table, from 1, else one whose range is gone; 0 if absent. Free slots
 * first, so that reports can show lapped marks. */
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

    (void)beat_attached_cursor();
    struct beat_recorder *recorder = beat_lock();
    if (beat_is_recording() && find_ring(recorder, whose, &mark.ring)) {
        const struct abi_trace_ring *ring = &recorder->rings[mark.ring];
        mark.session = recorder->recorded_session;
        mark.claim = ring->claim;
        mark.position = atomic_load_explicit(&ring->written, memory_order_acquire);
        put_in_file(recorder, &mark, source);
    }
    beat_unlock(recorder);
    return mark;
}

struct beat_mark beat_here_mark(const struct beat_here *at, const char *source)
{
    struct beat_mark mark = {0};
    struct beat_recorder *recorder = beat_lock();
    uint32_t ring = 0;

    if (beat_here_find(recorder, at, &ring) && !is_lapped(recorder, ring, at->position)) {
        mark = (struct beat_mark){.session = recorder->recorded_session,
                                  .ring = ring,
                                  .claim = at->claim,
                                  .position = at->position};
        put_in_file(recorder, &mark, source);
    }
    beat_unlock(recorder);
    return mark;
}

bool beat_mark_is_valid(const struct beat_mark *mark)
{
    struct beat_recorder *recorder = beat_lock();
    bool valid = is_valid(recorder, mark);

    beat_unlock(recorder);
    return valid;
}

void beat_unmark(struct beat_mark *mark)
{
    struct beat_recorder *recorder = beat_lock();

    if (mark->session == recorder->recorded_session && mark->slot != 0) {
        struct abi_trace_mark *entry = &recorder->marks[mark->slot - 1];
        if (entry->claim == mark->claim && entry->position == mark->position) {
            atomic_store_explicit(&entry->in_use, 0, memory_order_release);
        }
    }
    mark->slot = 0;
    beat_unlock(recorder);
}

bool beat_copy(const struct beat_mark *from, enum beat_whose whose, uint64_t *words, size_t *count)
{
    struct beat_room room = {words, *count};
    struct beat_range range = {0};
    uint32_t ring = from != NULL ? from->ring : 0;

    if (from == NULL) {
        (void)beat_attached_cursor();
    }
    struct beat_recorder *recorder = beat_lock();
    bool valid = from != NULL ? is_valid(recorder, from) : find_ring(recorder, whose, &ring);
    if (valid) {
        struct beat_source source = beat_source_of(recorder->memory, ring, recorder->java_writes);
        bool same =
            beat_copy_ring(recorder, &source, from != NULL ? from->position : 0, room, &range);
        valid = same || from == NULL; /* a mark is one thread's */
    }
    beat_unlock(recorder);
    *count = valid ? (size_t)(range.end - range.first) : 0;
    return valid;
}
