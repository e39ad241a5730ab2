#include "recorder/attach.h"

#include "recorder/drain.h"
#include "recorder/keeper.h"
#include "recorder/lanes.h"
#include "recorder/memory.h"
#include "recorder/name.h"
#include "recorder/readings.h"
#include "recorder/rings.h"
#include "recorder/session.h"

#include <assert.h>
#include <errno.h>

/* A refused thread asks again after this many probes: another thread may have ended. */
#define ASK_AGAIN 1024u

/* Both under the lock. */
static pthread_key_t end_key;
static bool has_end_key;

static void end_thread(void *unused)
{
    struct beat_thread *thread = &beat_thread;

    (void)unused;
    assert(!beat_has_lock());
    thread->ended = true; /* probes in later destructors are let go */
    beat_keeper_thread_ends(thread);
    beat_drain_thread(thread);
    beat_readings_end(thread);
    struct beat_recorder *recorder = beat_lock();
    thread->cursor = &beat_nobody;
    beat_rings_end(recorder, thread);
    beat_memory_pin(&thread->memory, NULL);
    beat_memory_pin(&thread->java_memory, NULL);
    beat_memory_pin(&thread->lane_memory, NULL);
    thread->lane_session = BEAT_NO_SESSION;
    beat_unlock(recorder);
}

/* Without a key, the ends of threads go unnoticed and their rings stay theirs. Under the lock. */
static void expect_end(struct beat_thread *thread)
{
    assert(beat_has_lock());
    if (!has_end_key) {
        has_end_key = pthread_key_create(&end_key, end_thread) == 0;
    }
    if (has_end_key) {
        (void)pthread_setspecific(end_key, thread);
    }
}

/* Keeps errno, which the program may read after a probe. */
static bool claim_ring(struct beat_thread *thread)
{
    int saved = errno;
    struct beat_recorder *recorder = beat_lock_for_probe();
    bool claimed = recorder != NULL && beat_session_begin(recorder, NULL) &&
                   beat_rings_claim(recorder, thread);

    if (recorder != NULL) {
        if (thread->memory != NULL) {
            expect_end(thread);
        }
        beat_unlock(recorder);
    }
    errno = saved;
    return claimed;
}

/* The session has no ring for this thread; that loss is counted unless it is what was asked for. */
static bool count_as_lost(struct beat_thread *thread)
{
    if (thread->refused_as_other) {
        return false;
    }
    const struct beat_memory *memory = thread->memory;
    if (memory == NULL) { /* a signal handler has just been refused as another */
        return false;
    }
    atomic_fetch_add_explicit(&memory->header->refused_words, 1, memory_order_relaxed);
    return ++thread->lost % ASK_AGAIN == 0;
}

MB_NOINLINE MB_COLD static bool attach_thread(struct beat_thread *thread)
{
    /* Acquire pairs with the release in publish_session (session.c): the tables of that session are
     * ours to read. */
    uint32_t session = atomic_load_explicit(&beat_recorder.session, memory_order_acquire);

    if (thread->ended || atomic_load_explicit(&thread->busy, memory_order_relaxed) ||
        ((session & 1) == 0 && session != BEAT_FIRST_IDLE) ||
        (thread->refused_session == session && !count_as_lost(thread))) {
        return false;
    }
    return claim_ring(thread);
}

/* Read once: a probe in a signal handler may replace it at any moment. */
static struct beat_cursor *read_cursor(struct beat_thread *thread)
{
    struct beat_cursor *volatile *place = &thread->cursor;

    return *place;
}

struct beat_cursor *beat_attached_cursor(void)
{
    struct beat_thread *thread = &beat_thread;
    struct beat_cursor *cursor = read_cursor(thread);

    /* Relaxed: see beat_rings_close. */
    if (atomic_load_explicit(&cursor->low_index, memory_order_relaxed) != BEAT_CLOSED) {
        return cursor;
    }
    if (!attach_thread(thread)) {
        thread->cursor = &beat_nobody;
        return NULL;
    }
    cursor = read_cursor(thread);
    return cursor != &beat_nobody ? cursor : NULL;
}

/* Pins the memory of the recorded session, so that no other session reuses it while this thread
 * may store there. */
MB_NOINLINE MB_COLD static bool hold_memory_of(struct beat_thread *thread, uint32_t session)
{
    if (thread->ended) {
        return false;
    }
    struct beat_recorder *recorder = beat_lock();
    bool present = beat_is_recording() && recorder->recorded_session == session;

    if (present) {
        beat_memory_pin(&thread->lane_memory, recorder->memory);
        thread->lane_session = session;
        expect_end(thread);
    }
    beat_unlock(recorder);
    return present;
}

struct beat_cursor *beat_attached_lane(uint64_t lane)
{
    struct beat_thread *thread = &beat_thread;
    uint32_t session = beat_lane_session(lane);

    if (session == BEAT_NO_SESSION ||
        (thread->lane_session != session && !hold_memory_of(thread, session))) {
        return NULL;
    }
    assert(beat_lane_ring(lane) < thread->lane_memory->plan.ring_count);
    return thread->lane_memory->cursors[beat_lane_ring(lane)];
}

void beat_name_thread(const char *name)
{
    struct beat_recorder *recorder = beat_lock();

    beat_name_copy(beat_thread.name, name);
    beat_rings_rename(recorder, &beat_thread);
    beat_unlock(recorder);
}
