#include "recorder/readings.h"

#include "base/check.h"
#include "base/pages.h"
#include "recorder/clock.h"
#include "recorder/core.h"
#include "recorder/usage.h"

#include <errno.h>

#define MOST_RINGS 1024u
#define CLAIM_BITS 10 /* the sessions go above */
#define CLAIM_MASK 0xFFFFFu

/* [ring]: made once, and kept, since a probe may be late. */
static _Atomic(struct prof_readings *) readings[MOST_RINGS];

/* A claim of another session is another one. */
static uint32_t claim_in(uint32_t session, uint32_t claim)
{
    return ((session << CLAIM_BITS) + claim) & CLAIM_MASK;
}

/* By system calls alone: in a signal handler, too. */
static struct prof_readings *readings_of(uint32_t ring)
{
    struct prof_readings *made = NULL;

    if (ring >= MOST_RINGS) {
        return NULL;
    }
    struct prof_readings *present = atomic_load_explicit(&readings[ring], memory_order_acquire);
    if (present != NULL) {
        return present;
    }
    made = mb_map_zeroes(1, sizeof(*made));
    if (made != NULL && !atomic_compare_exchange_strong(&readings[ring], &present, made)) {
        mb_unmap_zeroes(made, 1, sizeof(*made));
        made = present;
    }
    return made;
}

void beat_readings_take(void)
{
    const struct beat_cursor *cursor = beat_thread.cursor;
    const struct beat_recorder *recorder = &beat_recorder;
    const int error = errno;
    struct prof_read read = {(uint64_t)beat_clock_monotonic_ns(), 0};

    /* Relaxed, all: only this thread writes its ring; a stale session fits no reader. */
    if (atomic_load_explicit(&cursor->low_index, memory_order_relaxed) != BEAT_CLOSED) {
        const struct abi_trace_ring *ring = cursor->ring;
        const void *first = (const uint8_t *)cursor->header + cursor->header->ring_table_offset;
        struct prof_readings *of_ring =
            readings_of((uint32_t)(ring - (const struct abi_trace_ring *)first));
        uint32_t session = atomic_load_explicit(&recorder->session, memory_order_relaxed);
        if (of_ring != NULL &&
            beat_usage_read_queue("/proc/thread-self/schedstat", 0, &read.ready_ns) == 1) {
            prof_readings_put(of_ring, claim_in(session, beat_thread.claim),
                              atomic_load_explicit(&ring->written, memory_order_relaxed), &read);
        }
    }
    errno = error;
}

const struct prof_readings *beat_readings_of(uint32_t ring, uint32_t session, uint32_t *claim)
{
    *claim = claim_in(session, *claim);
    return ring < MOST_RINGS ? atomic_load_explicit(&readings[ring], memory_order_acquire) : NULL;
}
