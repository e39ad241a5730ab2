#include "recorder/core.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

/* A probe waits for the lock for 2 s and more: longer than a start takes. */
#define SHORT_PAUSES 1000
#define SHORT_PAUSE_NS 50000
#define LONG_PAUSES 2000
#define LONG_PAUSE_NS 1000000

static struct beat_options present_options;

struct beat_recorder beat_recorder = {
    .session = BEAT_FIRST_IDLE,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .options = &present_options,
};

static struct abi_trace_ring no_ring;
static const _Atomic(uint64_t) no_time; /* cheaper to read than the counter */

struct beat_cursor beat_nobody = {
    .ring = &no_ring, .low_index = BEAT_CLOSED, .coarse_time = &no_time};

MB_THREAD_LOCAL struct beat_thread beat_thread = {.cursor = &beat_nobody};

static _Atomic(uint64_t) let_go; /* words of probes that did not get the lock */

struct beat_recorder *beat_lock(void)
{
    assert(!beat_has_lock()); /* it would wait for itself */
    /* Relaxed, here and below: only handlers on this very thread read it meanwhile. */
    atomic_store_explicit(&beat_thread.busy, true, memory_order_relaxed);
    (void)pthread_mutex_lock(&beat_recorder.lock);
    return &beat_recorder;
}

struct beat_recorder *beat_lock_for_probe(void)
{
    struct timespec pause = {.tv_nsec = SHORT_PAUSE_NS};
    int most_pauses = beat_thread.has_waited ? 0 : SHORT_PAUSES + LONG_PAUSES;

    atomic_store_explicit(&beat_thread.busy, true, memory_order_relaxed);
    for (int pauses = 0;; pauses++) {
        beat_thread.has_waited = pthread_mutex_trylock(&beat_recorder.lock) != 0;
        if (!beat_thread.has_waited) {
            return &beat_recorder;
        }
        if (pauses == most_pauses) {
            break;
        }
        pause.tv_nsec = pauses < SHORT_PAUSES ? SHORT_PAUSE_NS : LONG_PAUSE_NS;
        (void)nanosleep(&pause, NULL);
    }
    atomic_store_explicit(&beat_thread.busy, false, memory_order_relaxed);
    /* Relaxed: a count of its own, that unlock takes up. */
    atomic_fetch_add_explicit(&let_go, 1, memory_order_relaxed);
    return NULL;
}

static void count_let_go(const struct beat_recorder *recorder)
{
    if (recorder->header != NULL && atomic_load_explicit(&let_go, memory_order_relaxed) > 0) {
        uint64_t words = atomic_exchange_explicit(&let_go, 0, memory_order_relaxed);
        atomic_fetch_add_explicit(&recorder->header->refused_words, words, memory_order_relaxed);
    }
}

void beat_unlock(struct beat_recorder *recorder)
{
    assert(beat_has_lock());
    count_let_go(recorder);
    (void)pthread_mutex_unlock(&recorder->lock);
    atomic_store_explicit(&beat_thread.busy, false, memory_order_relaxed);
}

uint32_t beat_present(const struct beat_recorder *recorder)
{
    assert(beat_has_lock());
    /* Relaxed: written under the lock that our caller holds. */
    return atomic_load_explicit(&recorder->session, memory_order_relaxed);
}

bool beat_is_recording(void)
{
    return beat_is_open(atomic_load_explicit(&beat_recorder.session, memory_order_relaxed));
}

void beat_log(const struct beat_options *options, const char *format, ...)
{
    char line[512];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (options->log != NULL) {
        options->log(line);
    } else {
        (void)fprintf(stderr, "methodbeat: %s\n", line);
    }
}
