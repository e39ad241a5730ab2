#include "recorder/recorder.h"

#include "abi/names.h"
#include "abi/record.h"
#include "recorder/counter.h"
#include "recorder/keeper.h"
#include "recorder/rings.h"
#include "recorder/session.h"

#include <stddef.h>
#include <stdio.h>

/* A refused thread asks again after this many probes: another thread may have ended. */
#define ASK_AGAIN 1024u

static MB_THREAD_LOCAL struct beat_cursor thread_cursor;

/* ---- Cold: the first probe of a thread in a session, and threads without a ring ---- */

static pthread_key_t end_key;
static pthread_once_t end_key_made = PTHREAD_ONCE_INIT;

static void end_thread(void *cursor_of_thread)
{
    struct beat_cursor *cursor = cursor_of_thread;
    struct beat_recorder *recorder = beat_session_lock();

    beat_rings_end(recorder, cursor);
    beat_session_unlock(recorder);
    cursor->session = BEAT_NO_SESSION;
    cursor->ended = true; /* probes in later destructors are let go */
}

static void make_end_key(void)
{
    (void)pthread_key_create(&end_key, end_thread);
}

static bool claim(struct beat_cursor *cursor)
{
    struct beat_recorder *recorder = beat_session_lock();
    bool claimed = beat_session_begin(recorder, NULL) && beat_rings_claim(recorder, cursor);

    beat_session_unlock(recorder);
    if (claimed) {
        (void)pthread_once(&end_key_made, make_end_key);
        (void)pthread_setspecific(end_key, cursor);
    }
    return claimed;
}

/* The session has no ring for this thread; that loss is counted unless it is what was asked for. */
static bool count_as_lost(struct beat_cursor *cursor)
{
    if (cursor->refused_as_other) {
        return false;
    }
    atomic_fetch_add_explicit(&cursor->header->refused_words, 1, memory_order_relaxed);
    return ++cursor->lost % ASK_AGAIN == 0;
}

MB_NOINLINE MB_COLD static bool attach(struct beat_cursor *cursor)
{
    /* Acquire pairs with the release in publish (session.c): the tables of that session are ours
     * to read. Later probes compare the number relaxed, since they use only the cursor. */
    uint32_t session = atomic_load_explicit(&beat_recorder.session, memory_order_acquire);

    if (cursor->ended || cursor->attaching || ((session & 1) == 0 && session != BEAT_FIRST_IDLE) ||
        (cursor->refused_session == session && !count_as_lost(cursor))) {
        return false;
    }
    cursor->attaching = true;
    bool claimed = claim(cursor);
    cursor->attaching = false;
    return claimed;
}

/* ---- Hot: one load of the session, one store of the word, one store of the count ---- */

static inline uint64_t time_now(const struct beat_cursor *cursor)
{
    /* Likely for its sake: it is the one that a jump would slow down. */
    if (MB_LIKELY(cursor->coarse_time != NULL)) {
        /* Relaxed: pairs with beat_clock_refresh; only the time itself passes. */
        return atomic_load_explicit(cursor->coarse_time, memory_order_relaxed);
    }
    return ((beat_counter() - cursor->counter_start) >> cursor->counter_shift) & ABI_TIME_MASK;
}

static inline bool is_attached(const struct beat_cursor *cursor)
{
    /* Relaxed: equality says that the cursor was attached after an acquire of this number. */
    return MB_LIKELY(cursor->session ==
                     atomic_load_explicit(&beat_recorder.session, memory_order_relaxed));
}

static inline _Atomic(uint64_t) *slot_of(const struct beat_cursor *cursor, uint64_t position)
{
    return (_Atomic(uint64_t) *)(cursor->lap_base + position * sizeof(uint64_t));
}

static inline void store(const struct beat_cursor *cursor, struct abi_trace_ring *ring,
                         uint64_t position, uint64_t word)
{
    /* Release, both. Who copies the new word in place of an old one then also sees that written
     * had come this far, and drops the slot; who sees the new count finds the word. They pair with
     * the fence and the acquire in beat_ring_copy (marks.c). On x86 both are plain stores. */
    atomic_store_explicit(slot_of(cursor, position), word, memory_order_release);
    atomic_store_explicit(&ring->written, position + 1, memory_order_release);
}

/* The ring is full: go on at its start. Calls of the lap before are no longer taken back. */
MB_NOINLINE static void store_in_new_lap(struct beat_cursor *cursor, uint64_t position,
                                         uint64_t word)
{
    struct abi_trace_ring *ring = cursor->ring;

    beat_cursor_begin_lap(cursor, position - position % cursor->capacity);
    /* Release: pairs with the acquire in beat_ring_copy, which must not find written older. */
    atomic_store_explicit(&ring->settled, position, memory_order_release);
    store(cursor, ring, position, word);
}

static inline void push(struct beat_cursor *cursor, uint64_t word)
{
    struct abi_trace_ring *ring = cursor->ring;
    /* Relaxed: only this thread writes it. */
    uint64_t position = atomic_load_explicit(&ring->written, memory_order_relaxed);

    if (MB_UNLIKELY(position >= cursor->lap_end)) {
        store_in_new_lap(cursor, position, word);
    } else {
        store(cursor, ring, position, word);
    }
}

/* If the newest record is the entry that head leaves, and not long ago, both vanish. */
static inline bool take_back(struct beat_cursor *cursor, uint64_t head, uint64_t now)
{
    struct abi_trace_ring *ring = cursor->ring;
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);

    /* Relaxed: pairs with beat_mark, which settles what it pins; a mark set this very moment may
     * come too late by a record. Settled never lies before the lap, so the slot exists. */
    if (written <= atomic_load_explicit(&ring->settled, memory_order_relaxed)) {
        return false;
    }
    uint64_t newest = atomic_load_explicit(slot_of(cursor, written - 1), memory_order_relaxed);
    if ((newest & ~ABI_TIME_MASK) != (head | ABI_ENTER) ||
        abi_record_elapsed(newest, now) >= cursor->min_units) {
        return false;
    }
    /* Relaxed: the release of written below carries it to the acquire in oldest_whole (marks.c). */
    if (written > atomic_load_explicit(&ring->highest, memory_order_relaxed)) {
        atomic_store_explicit(&ring->highest, written, memory_order_relaxed);
    }
    uint64_t dropped = atomic_load_explicit(&ring->dropped_calls, memory_order_relaxed);
    atomic_store_explicit(&ring->dropped_calls, dropped + 1, memory_order_relaxed);
    atomic_store_explicit(&ring->written, written - 1, memory_order_release); /* as in push */
    return true;
}

static inline void enter(struct beat_cursor *cursor, uint32_t id)
{
    push(cursor, abi_record_head(id, true) | time_now(cursor));
}

MB_NOINLINE static void leave_unless_short(struct beat_cursor *cursor, uint64_t head)
{
    uint64_t now = time_now(cursor);

    if (!take_back(cursor, head, now)) {
        push(cursor, head | now);
        /* What an exit closes stays. Release: pairs with the acquire in beat_ring_copy. */
        atomic_store_explicit(&cursor->ring->settled,
                              atomic_load_explicit(&cursor->ring->written, memory_order_relaxed),
                              memory_order_release);
    }
}

static inline void leave(struct beat_cursor *cursor, uint32_t id)
{
    uint64_t head = abi_record_head(id, false);

    if (MB_UNLIKELY(cursor->min_units != 0)) {
        leave_unless_short(cursor, head);
    } else {
        push(cursor, head | time_now(cursor));
    }
}

/* Everything but a method's id on an attached thread. Away from the probes and last in them, so
 * that those are short and need no stack. */
MB_NOINLINE MB_COLD static void record_other(uint32_t id, bool enters)
{
    struct beat_cursor *cursor = &thread_cursor;

    if (id - ABI_FIRST_ID >= ABI_MESSAGE_ID || (!is_attached(cursor) && !attach(cursor))) {
        return;
    }
    if (id == ABI_MESSAGE_ID) {
        beat_keeper_message(cursor->header, enters);
    }
    if (enters) {
        enter(cursor, id);
    } else {
        leave(cursor, id);
    }
}

static inline bool is_plain(const struct beat_cursor *cursor, uint32_t id)
{
    return MB_LIKELY(id - ABI_FIRST_ID < ABI_MAX_ID) && is_attached(cursor);
}

/* Where in a cache line a probe begins makes a tenth of its time. */
MB_LINE_ALIGNED void beat_i(uint32_t id)
{
    if (is_plain(&thread_cursor, id)) {
        enter(&thread_cursor, id);
    } else {
        record_other(id, true);
    }
}

MB_LINE_ALIGNED void beat_o(uint32_t id)
{
    if (is_plain(&thread_cursor, id)) {
        leave(&thread_cursor, id);
    } else {
        record_other(id, false);
    }
}

/* ---- Not so hot ---- */

struct beat_cursor *beat_own_cursor(void)
{
    struct beat_cursor *cursor = &thread_cursor;

    return is_attached(cursor) || attach(cursor) ? cursor : NULL;
}

void beat_forget_cursor(void)
{
    thread_cursor = (struct beat_cursor){0};
}

void beat_name_thread(const char *name)
{
    struct beat_cursor *cursor = beat_own_cursor();

    if (cursor == NULL) {
        return;
    }
    struct beat_recorder *recorder = beat_session_lock();
    if (cursor->session == atomic_load_explicit(&recorder->session, memory_order_relaxed)) {
        char *own = cursor->ring->thread_name;
        (void)snprintf(own, sizeof(cursor->ring->thread_name), "%s", name);
        cursor->named = true;
    }
    beat_session_unlock(recorder);
}
