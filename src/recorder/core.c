#include "recorder/core.h"

#include <stdarg.h>
#include <stdio.h>

struct beat_recorder beat_recorder = {
    .session = BEAT_FIRST_IDLE,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

static struct abi_trace_ring no_ring;
static const _Atomic(uint64_t) no_time; /* cheaper to read than the counter */

struct beat_cursor beat_nobody = {
    .ring = &no_ring, .low_index = BEAT_CLOSED, .coarse_time = &no_time};

MB_THREAD_LOCAL struct beat_thread beat_thread = {.cursor = &beat_nobody};

struct beat_recorder *beat_lock(void)
{
    /* Relaxed, here and below: only handlers on this very thread read it meanwhile. */
    atomic_store_explicit(&beat_thread.busy, true, memory_order_relaxed);
    (void)pthread_mutex_lock(&beat_recorder.lock);
    return &beat_recorder;
}

void beat_unlock(struct beat_recorder *recorder)
{
    (void)pthread_mutex_unlock(&recorder->lock);
    atomic_store_explicit(&beat_thread.busy, false, memory_order_relaxed);
}

uint32_t beat_present(const struct beat_recorder *recorder)
{
    /* Relaxed: written under the lock that our caller holds. */
    return atomic_load_explicit(&recorder->session, memory_order_relaxed);
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
