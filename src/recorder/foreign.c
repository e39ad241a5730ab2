#include "recorder/foreign.h"

#include "recorder/attach.h"
#include "recorder/keeper.h"
#include "recorder/memory.h"
#include "recorder/rings.h"

#include <stddef.h>
#include <time.h>

#define NO_THREAD (-1)
#define NAP_NS 50000
#define MOST_NAPS 100

static int32_t main_thread = NO_THREAD; /* under the lock */

int32_t beat_foreign_main_thread(void)
{
    struct beat_recorder *recorder = beat_lock();
    int32_t thread_id = main_thread;

    beat_unlock(recorder);
    return thread_id;
}

void beat_foreign_become_main(int32_t thread_id)
{
    struct beat_recorder *recorder = beat_lock();

    main_thread = thread_id;
    recorder->options->main_thread = thread_id;
    beat_unlock(recorder);
}

bool beat_foreign_records_others(void)
{
    struct beat_recorder *recorder = beat_lock();
    bool records = recorder->options->threads == BEAT_THREADS_ALL;

    beat_unlock(recorder);
    return records;
}

static struct beat_foreign describe_ring(const struct beat_cursor *cursor)
{
    uint8_t *bytes = (uint8_t *)cursor->header;
    const struct abi_trace_ring *ring = cursor->ring;

    return (struct beat_foreign){
        .bytes = bytes,
        .size = ring->words_offset + abi_trace_words_size(ring->capacity),
        .written_offset =
            (uint64_t)((const uint8_t *)ring - bytes) + offsetof(struct abi_trace_ring, written),
        .words_offset = ring->words_offset,
        .capacity = ring->capacity,
        .start_ns = cursor->header->monotonic_start_ns,
    };
}

struct beat_foreign beat_foreign_take(void)
{
    const struct beat_cursor *cursor = beat_attached_cursor();
    struct beat_foreign foreign = {0};

    if (cursor == NULL || cursor->coarse_time == NULL) {
        return foreign;
    }
    struct beat_recorder *recorder = beat_lock();
    /* Else that session is over, and the memory may be zeroes. */
    if (recorder->recorded_session != BEAT_NO_SESSION && recorder->header == cursor->header) {
        atomic_store_explicit(&cursor->ring->exact_words, BEAT_FIRST_EXACT, memory_order_relaxed);
        foreign = describe_ring(cursor);
        beat_memory_pin(&beat_thread.java_memory, recorder->memory);
        recorder->java_writes = true;
    }
    beat_unlock(recorder);
    return foreign;
}

/* Relaxed is enough: a stale value costs one portion of waiting, or one lost portion. */
static bool is_drained_late(const struct abi_trace_ring *ring)
{
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t drained = atomic_load_explicit(&ring->drained, memory_order_relaxed);

    return written > drained && written - drained > ring->capacity / 2;
}

void beat_foreign_begin_half(void)
{
    const struct abi_trace_ring *ring = beat_thread.cursor->ring;
    const struct timespec nap = {.tv_nsec = NAP_NS};

    beat_keeper_hurry();
    if (ring == NULL || !atomic_load_explicit(&beat_recorder.has_profile, memory_order_relaxed)) {
        return;
    }
    for (int naps = 0; naps < MOST_NAPS && is_drained_late(ring); naps++) {
        (void)nanosleep(&nap, NULL);
    }
}

/* ---- What a record costs ---- */

static uint32_t first_record_ns; /* of the process; under the lock */

static uint64_t count_words(const struct beat_recorder *recorder)
{
    uint32_t used = beat_rings_used_count(recorder);
    uint64_t words = 0;

    for (uint32_t i = 0; i < used; i++) {
        words += atomic_load_explicit(&recorder->rings[i].written, memory_order_relaxed);
    }
    return words;
}

bool beat_foreign_note_cost(uint32_t record_ns)
{
    struct beat_recorder *recorder = beat_lock();

    first_record_ns = first_record_ns != 0 ? first_record_ns : record_ns;
    bool is_slow = record_ns > first_record_ns / 2;
    if (recorder->recorded_session != BEAT_NO_SESSION) {
        struct abi_trace_header *header = recorder->header;
        uint64_t words = count_words(recorder) + 1; /* the one that is about to be made */
        /* Relaxed, all: a reader of a live trace may take an older count. */
        atomic_store_explicit(&header->slow_record_ns, first_record_ns, memory_order_relaxed);
        atomic_store_explicit(is_slow ? &header->slow_words : &header->quick_words, words,
                              memory_order_relaxed);
    }
    beat_unlock(recorder);
    return is_slow;
}

/* Cached by each carrier thread: the header of the session with this number. */
static MB_THREAD_LOCAL uint32_t known_session;
static MB_THREAD_LOCAL struct abi_trace_header *known_header;

void beat_foreign_pass(void)
{
    /* Relaxed: what belongs to another session was read under the lock. */
    uint32_t session = atomic_load_explicit(&beat_recorder.session, memory_order_relaxed);

    if (known_session != session) {
        struct beat_recorder *recorder = beat_lock();
        known_session = beat_present(recorder);
        known_header = beat_is_open(known_session) ? recorder->header : NULL;
        beat_unlock(recorder);
    }
    if (known_header != NULL) {
        atomic_fetch_add_explicit(&known_header->virtual_words, 1, memory_order_relaxed);
    }
}
