#include "recorder/methodbeat.h"

#include "abi/names.h"
#include "abi/record.h"
#include "recorder/attach.h"
#include "recorder/counter.h"
#include "recorder/keeper.h"
#include "recorder/lanes.h"
#include "recorder/memory.h"
#include "recorder/throttle.h"

#include <stddef.h>

/* Hot: one store of the word, one of the count. Nothing asks whether there is a session: without
 * one, the ring has no room, and record_slowly looks why. */

static inline uint64_t time_now(const struct beat_cursor *cursor)
{
    /* Likely for its sake: it is the one that a jump would slow down. */
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

/* Nothing but this keeps a store in its ring: see struct beat_cursor. */
static inline bool is_slot(const struct beat_cursor *cursor, uint64_t index)
{
    /* Relaxed: pairs with beat_rings_close. */
    return MB_LIKELY(index > atomic_load_explicit(&cursor->low_index, memory_order_relaxed));
}

/* False if the half is at its end, or recording is. */
static inline bool push(const struct beat_cursor *cursor, uint64_t word)
{
    struct abi_trace_ring *ring = cursor->ring;
    /* Relaxed: only this thread writes it. */
    uint64_t position = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t index = position - cursor->end;

    if (!is_slot(cursor, index)) {
        return false;
    }
    /* Release, both. Who copies the new word in place of an old one then also sees that written
     * had come this far, and drops the slot; who sees the new count finds the word. They pair with
     * the fence and the acquire in copy_words (copy.c). On x86 both are plain stores. */
    atomic_store_explicit(slot_of(cursor, index), word, memory_order_release);
    atomic_store_explicit(&ring->written, position + 1, memory_order_release);
    return true;
}

/* The record of that position if it may still be taken back, else ABI_EMPTY_WORD: those of the half
 * before stay. */
static inline uint64_t load_unsettled(const struct beat_cursor *cursor, uint64_t position)
{
    uint64_t index = position - cursor->end;

    /* Relaxed: pairs with beat_mark, which settles what it pins; a mark set this very moment may
     * come too late by a record. */
    if (!is_slot(cursor, index) ||
        position < atomic_load_explicit(&cursor->ring->settled, memory_order_relaxed)) {
        return ABI_EMPTY_WORD;
    }
    return atomic_load_explicit(slot_of(cursor, index), memory_order_relaxed);
}

/* In place of the entry at that position, the time of its call, for the call around it to count:
 * one word, however many there are in a row. Returns where the next record goes. */
static uint64_t put_sum(const struct beat_cursor *cursor, uint64_t entry, uint64_t time)
{
    uint64_t before = load_unsettled(cursor, entry - 1);
    bool adds = abi_record_is_sum(before);
    uint64_t place = adds ? entry - 1 : entry;
    uint64_t sum = adds ? abi_record_time(before) + time : time;

    if (sum == 0) {
        return place;
    }
    atomic_store_explicit(slot_of(cursor, place - cursor->end), abi_record(ABI_CATCH_ID, true, sum),
                          memory_order_release);
    return place + 1;
}

/* If the newest record is the entry that head leaves, and not long ago, both vanish. */
static inline bool take_back(const struct beat_cursor *cursor, uint64_t head, uint64_t now)
{
    struct abi_trace_ring *ring = cursor->ring;
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t entry = written - 1;
    uint64_t newest = load_unsettled(cursor, entry);

    if (MB_UNLIKELY(abi_record_is_sum(newest))) { /* of calls inside */
        newest = load_unsettled(cursor, --entry);
    }
    uint64_t time = abi_record_elapsed(newest, now);
    if ((newest & ~ABI_TIME_MASK) != (head | ABI_ENTER) || time >= cursor->min_units) {
        return false;
    }
    /* Relaxed: the release of written below carries it to the acquire in oldest_whole (copy.c). */
    if (written > atomic_load_explicit(&ring->highest, memory_order_relaxed)) {
        atomic_store_explicit(&ring->highest, written, memory_order_relaxed);
    }
    uint64_t dropped = atomic_load_explicit(&ring->dropped_calls, memory_order_relaxed);
    atomic_store_explicit(&ring->dropped_calls, dropped + 1, memory_order_relaxed);
    uint64_t end = cursor->keeps_sums ? put_sum(cursor, entry, time) : entry;
    atomic_store_explicit(&ring->written, end, memory_order_release); /* as in push */
    return true;
}

static inline bool is_in(const struct beat_cursor *cursor, uint64_t position)
{
    return is_slot(cursor, position - cursor->end);
}

/* Where to go on, cursor being the one of before: in the other half when this one is full. Wherever
 * the count leads if it is no longer ours. */
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

static inline bool is_short(const struct beat_cursor *cursor, uint64_t head, uint64_t now)
{
    return cursor->min_units != 0 && !abi_record_is_enter(head) && take_back(cursor, head, now);
}

/* The thread goes on with this cursor, unless a signal handler has attached it anew meanwhile: the
 * ring of before may soon be another thread's. */
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

/* What a probe could not push: there is a ring to attach to, a half to begin, or nothing to do. Of
 * the word only the head counts: time goes on. */
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
    uint64_t head = word & ~ABI_TIME_MASK;
    uint64_t now = time_now(cursor);
    if (!is_short(cursor, head, now)) {
        (void)push(cursor, head | now); /* no second try: recording has ended just now */
    }
}

MB_NOINLINE static void leave_unless_short(const struct beat_cursor *cursor, uint64_t head)
{
    uint64_t now = time_now(cursor);

    if (take_back(cursor, head, now)) {
        return;
    }
    if (!push(cursor, head | now)) {
        record_slowly(head);
        return;
    }
    /* What an exit closes stays. Release: pairs with the acquire in copy_words. */
    atomic_store_explicit(&cursor->ring->settled,
                          atomic_load_explicit(&cursor->ring->written, memory_order_relaxed),
                          memory_order_release);
}

static inline bool is_method(uint32_t id)
{
    return MB_LIKELY(id - ABI_FIRST_ID < ABI_MAX_ID);
}

static inline bool is_muted(uint32_t id)
{
    /* Relaxed: nothing else passes. */
    return MB_UNLIKELY(atomic_load_explicit(&beat_muted[id], memory_order_relaxed) != 0);
}

static inline void push_now(const struct beat_cursor *cursor, uint64_t head)
{
    uint64_t word = head | time_now(cursor);

    if (!push(cursor, word)) {
        record_slowly(word);
    }
}

/* A message, unless the keeper or the word before has to do with it. */
MB_NOINLINE static void record_message(uint64_t head)
{
    const struct beat_cursor *cursor = beat_thread.cursor;

    if (MB_UNLIKELY(cursor->coarse_time != NULL || cursor->min_units != 0)) {
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

/* All calls are the last thing that is done, so that a probe needs no stack. Where in a cache line
 * it begins makes a tenth of its time. */
MB_LINE_ALIGNED void beat_i(uint32_t id)
{
    if (!is_method(id)) {
        record_other(id, true);
    } else if (!is_muted(id)) {
        push_now(beat_thread.cursor, abi_record_head(id, true));
    }
}

MB_LINE_ALIGNED void beat_o(uint32_t id)
{
    const struct beat_cursor *cursor = beat_thread.cursor;

    if (!is_method(id)) {
        record_other(id, false);
    } else if (is_muted(id)) {
        return;
    } else if (MB_UNLIKELY(cursor->min_units != 0)) {
        leave_unless_short(cursor, abi_record_head(id, false));
    } else {
        push_now(cursor, abi_record_head(id, false));
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
    return push(cursor, word);
}

/* The cursor of the half that the newest word is in, or the next. */
static struct beat_cursor *present_half(struct beat_cursor *halves)
{
    uint64_t written = atomic_load_explicit(&halves->ring->written, memory_order_relaxed);

    return is_in(halves, written - 1) || is_in(halves, written) ? halves : halves->other;
}

static void settle(const struct beat_cursor *cursor)
{
    struct abi_trace_ring *ring = cursor->ring;

    /* As in leave_unless_short. */
    atomic_store_explicit(&ring->settled,
                          atomic_load_explicit(&ring->written, memory_order_relaxed),
                          memory_order_release);
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
    uint64_t now = time_now(cursor);
    if (is_short(cursor, head, now)) {
        return true;
    }
    if (!push(cursor, head | now) && !record_in_lane_slowly(cursor, lane, head | now)) {
        return false;
    }
    if (cursor->min_units != 0 && !abi_record_is_enter(head)) {
        settle(cursor);
    }
    return true;
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
