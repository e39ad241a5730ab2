#include "recorder/methodbeat.h"

#include "abi/names.h"
#include "abi/record.h"
#include "recorder/attach.h"
#include "recorder/clock.h"
#include "recorder/counter.h"
#include "recorder/keeper.h"
#include "recorder/lanes.h"
#include "recorder/memory.h"
#include "recorder/readings.h"
#include "recorder/throttle.h"

#include <stddef.h>

/* The hot path: one store of the word, one of the count. It does not check for a session:
 * without one, the cursor is closed, which record_slowly handles. */

static inline uint64_t time_now(const struct beat_cursor *cursor)
{
    /* Marked likely because a jump would cost the coarse clock relatively more. */
    if (MB_LIKELY(cursor->coarse_time != NULL)) {
        /* Relaxed: pairs with beat_clock_refresh; only the time itself passes. */
        return atomic_load_explicit(cursor->coarse_time, memory_order_relaxed);
    }
    return ((beat_counter() - cursor->counter_start) >> cursor->counter_shift) & ABI_TIME_MASK;
}

static inline _Atomic(uint64_t) *slot_of(const struct beat_cursor *cursor, uint64_t index)
{
    return cursor->words_end + (int64_t)index;
}

/* The only check that keeps stores inside the ring: see struct beat_cursor. */
static inline bool is_slot(const struct beat_cursor *cursor, uint64_t index)
{
    /* Relaxed: pairs with beat_rings_close. */
    return MB_LIKELY(index > atomic_load_explicit(&cursor->low_index, memory_order_relaxed));
}

/* False at the end of the half or of the recording. */
static inline bool push_word(const struct beat_cursor *cursor, uint64_t word)
{
    struct abi_trace_ring *ring = cursor->ring;
    /* Relaxed: only this thread writes it. */
    uint64_t position = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t index = position - cursor->end;

    if (!is_slot(cursor, index)) {
        return false;
    }
    /* Release, both: a copy of this word sees that written had come this far, and a reader of the
     * new count finds the word. They pair with the fence and the acquire in copy.c. */
    atomic_store_explicit(slot_of(cursor, index), word, memory_order_release);
    atomic_store_explicit(&ring->written, position + 1, memory_order_release);
    return true;
}

static inline bool is_in(const struct beat_cursor *cursor, uint64_t position)
{
    return is_slot(cursor, position - cursor->end);
}

/* The cursor to go on with: that of the other half if this one is full. Safe for any count, also
 * if the ring is no longer this thread's. */
static struct beat_cursor *begin_half_when_due(struct beat_cursor *cursor)
{
    uint64_t position = atomic_load_explicit(&cursor->ring->written, memory_order_relaxed);

    if (is_in(cursor, position)) {
        return cursor;
    }
    uint64_t slot = position % cursor->capacity;
    bool is_second = slot >= cursor->capacity / 2;
    cursor = is_second == (cursor->end_slot == cursor->capacity) ? cursor : cursor->other;
    cursor->end = position - slot + cursor->end_slot;
    return cursor;
}

/* Keep the cursor for the thread, unless a signal handler has meanwhile attached the thread
 * anew: the old ring may then be given to another thread. */
static bool keep_cursor(struct beat_cursor *cursor)
{
    beat_thread.cursor = cursor;
    atomic_signal_fence(memory_order_seq_cst); /* what is attached from here on stays */
    const struct beat_memory *memory = beat_thread.memory;
    if (memory != NULL && (const uint8_t *)cursor->header == memory->bytes) {
        return true;
    }
    beat_thread.cursor = &beat_nobody;
    return false;
}

/* Record a word that could not be pushed: attach the thread to a ring, or begin the next half.
 * The word's time is read again. */
MB_NOINLINE MB_COLD static void record_slowly(uint64_t word)
{
    struct beat_cursor *cursor = beat_attached_cursor();

    if (cursor == NULL) {
        return;
    }
    if (abi_record_id(word) == ABI_MESSAGE_ID) {
        beat_keeper_message(cursor->header, cursor->ring->is_main, abi_record_is_enter(word));
    }
    cursor = begin_half_when_due(cursor);
    if (!keep_cursor(cursor)) {
        return;
    }
    beat_keeper_hurry();
    /* No second try: recording has ended just now. */
    (void)push_word(cursor, (word & ~ABI_TIME_MASK) | time_now(cursor));
}

static inline bool is_method(uint32_t id)
{
    return MB_LIKELY(id - ABI_FIRST_ID < ABI_MAX_ID);
}

/* Relaxed, both: nothing else passes. */
static inline bool is_apart(uint32_t id)
{
    return MB_UNLIKELY(atomic_load_explicit(&beat_muted[id], memory_order_relaxed) != 0);
}

static bool is_muted(uint32_t id)
{
    return atomic_load_explicit(&beat_muted[id], memory_order_relaxed) == BEAT_MUTED;
}

static inline void push_now(const struct beat_cursor *cursor, uint64_t head)
{
    uint64_t word = head | time_now(cursor);

    if (!push_word(cursor, word)) {
        record_slowly(word);
    }
}

/* With the coarse clock, the keeper must know of messages. */
MB_NOINLINE static void record_message(uint64_t head)
{
    const struct beat_cursor *cursor = beat_thread.cursor;

    if (MB_UNLIKELY(cursor->coarse_time != NULL)) {
        record_slowly(head);
    } else {
        push_now(cursor, head);
    }
}

/* Any id but a method's: BEAT_MESSAGE_ID, or nothing. */
MB_NOINLINE static void record_other(uint32_t id, bool enters)
{
    if (id == ABI_MESSAGE_ID) {
        record_message(abi_record_head(id, enters));
    }
}

/* A muted method, or one whose requests are timed. */
MB_NOINLINE static void record_apart(uint32_t id, bool enters)
{
    if (!is_muted(id)) {
        beat_readings_take();
        push_now(beat_thread.cursor, abi_record_head(id, enters));
    }
}

/* All calls are tail calls, so that a probe needs no stack frame. Alignment to a cache line
 * saves a tenth of its time. */
MB_LINE_ALIGNED void beat_i(uint32_t id)
{
    if (!is_method(id)) {
        record_other(id, true);
    } else if (is_apart(id)) {
        record_apart(id, true);
    } else {
        push_now(beat_thread.cursor, abi_record_head(id, true));
    }
}

MB_LINE_ALIGNED void beat_o(uint32_t id)
{
    if (!is_method(id)) {
        record_other(id, false);
    } else if (is_apart(id)) {
        record_apart(id, false);
    } else {
        push_now(beat_thread.cursor, abi_record_head(id, false));
    }
}

void beat_c(uint32_t id)
{
    if (is_method(id) && !is_muted(id)) {
        push_now(beat_thread.cursor, abi_record_head(ABI_CATCH_ID, false));
        push_now(beat_thread.cursor, abi_record_head(id, false));
    }
}

/* ---- Lanes ---- */

/* The cursor is closed, or its half is at its end. */
MB_NOINLINE MB_COLD static bool record_in_lane_slowly(struct beat_cursor *cursor, uint64_t lane,
                                                      uint64_t word)
{
    /* Relaxed: see beat_rings_close. */
    if (atomic_load_explicit(&cursor->low_index, memory_order_relaxed) == BEAT_CLOSED &&
        !beat_lane_reopen(lane)) {
        return false;
    }
    cursor = begin_half_when_due(cursor);
    beat_keeper_hurry();
    return push_word(cursor, word);
}

/* Beside a native call of Java's, the system's clock costs little. */
static uint64_t lane_time(const struct beat_cursor *cursor)
{
    return cursor->coarse_time != NULL ? beat_clock_now(cursor->header) & ABI_TIME_MASK
                                       : time_now(cursor);
}

/* The cursor of the half that holds the newest word or the next one. */
static struct beat_cursor *present_half(struct beat_cursor *halves)
{
    uint64_t written = atomic_load_explicit(&halves->ring->written, memory_order_relaxed);

    return is_in(halves, written - 1) || is_in(halves, written) ? halves : halves->other;
}

static bool record_in_lane(uint64_t lane, uint64_t head)
{
    struct beat_cursor *cursor = beat_attached_lane(lane);

    if (cursor == NULL) {
        return false;
    }
    uint32_t id = abi_record_id(head);
    if (is_method(id) && is_muted(id)) {
        return true;
    }
    cursor = present_half(cursor);
    uint64_t word = head | lane_time(cursor);
    return push_word(cursor, word) || record_in_lane_slowly(cursor, lane, word);
}

bool beat_lane_i(uint64_t lane, uint32_t id)
{
    return record_in_lane(lane, abi_record_head(id, true));
}

bool beat_lane_o(uint64_t lane, uint32_t id)
{
    return record_in_lane(lane, abi_record_head(id, false));
}

bool beat_lane_c(uint64_t lane, uint32_t id)
{
    return is_muted(id & ABI_ID_MASK) ||
           (record_in_lane(lane, abi_record_head(ABI_CATCH_ID, false)) && beat_lane_o(lane, id));
}
