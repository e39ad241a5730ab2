#include "recorder/keeper.h"

#include "recorder/clock.h"
#include "recorder/session.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#define MS INT64_C(1000000)
#define START_WITHIN_NS (10000 * MS)
#define FIRST_REFINE_NS (10 * MS)
#define LAST_REFINE_NS (10000 * MS)

static sem_t bell;
/* Until a program shows its first message it is taken to be always in one. */
static _Atomic(bool) in_message;
static _Atomic(bool) resting;

struct keeper {
    uint32_t session;
    struct abi_trace_header *header; /* stays mapped for ever */
    int64_t begin_ns;
    int64_t tick_ns;   /* 0 with the counter */
    int64_t refine_ns; /* when next, after begin_ns */
};

void beat_keeper_init(void)
{
    (void)sem_init(&bell, 0, 0);
    atomic_store(&in_message, true);
    atomic_store(&resting, false);
}

static void wait_until(int64_t monotonic_ns)
{
    /* sem_timedwait counts on the wall clock; a step of it costs one early or late tick. */
    struct timespec until;
    int64_t left = monotonic_ns - beat_clock_monotonic_ns();

    if (left <= 0) {
        return;
    }
    (void)clock_gettime(CLOCK_REALTIME, &until);
    int64_t ns = until.tv_nsec + left;
    until.tv_sec += (time_t)(ns / (1000 * MS));
    until.tv_nsec = (long)(ns % (1000 * MS));
    while (sem_timedwait(&bell, &until) != 0 && errno == EINTR) {
    }
}

/* No message runs: sleep until one does, or until there is something else to do. */
static void rest_until(int64_t monotonic_ns)
{
    /* Sequentially consistent, both here and in beat_keeper_message: either we see the message, or
     * it sees us resting and rings. */
    atomic_store(&resting, true);
    if (!atomic_load(&in_message)) {
        wait_until(monotonic_ns);
    }
    atomic_store(&resting, false);
}

void beat_keeper_message(struct abi_trace_header *header, bool begins)
{
    if (header->clock_kind != ABI_CLOCK_COARSE) {
        return;
    }
    beat_clock_refresh(header);
    atomic_store(&in_message, begins);
    if (begins && atomic_exchange(&resting, false)) {
        (void)sem_post(&bell);
    }
}

static void refine_when_due(struct keeper *keeper, int64_t now)
{
    if (keeper->refine_ns <= LAST_REFINE_NS && now - keeper->begin_ns >= keeper->refine_ns) {
        beat_clock_refine(keeper->header);
        keeper->refine_ns *= 10;
    }
}

static int64_t next_duty(const struct keeper *keeper, bool waits_for_start)
{
    int64_t next = INT64_MAX;

    if (waits_for_start) {
        next = keeper->begin_ns + START_WITHIN_NS;
    }
    if (keeper->refine_ns <= LAST_REFINE_NS && keeper->begin_ns + keeper->refine_ns < next) {
        next = keeper->begin_ns + keeper->refine_ns;
    }
    return next;
}

/* False when there is nothing left to keep. */
static bool keep_once(struct keeper *keeper)
{
    bool waits_for_start = beat_session_is_waiting(keeper->session);
    int64_t now = beat_clock_monotonic_ns();

    if (waits_for_start && now - keeper->begin_ns >= START_WITHIN_NS) {
        beat_session_expire(keeper->session);
        return false;
    }
    refine_when_due(keeper, now);
    int64_t duty = next_duty(keeper, waits_for_start);
    if (keeper->tick_ns == 0) {
        if (duty == INT64_MAX) {
            return false;
        }
        wait_until(duty);
        return true;
    }
    if (!atomic_load(&in_message)) {
        rest_until(duty == INT64_MAX ? now + START_WITHIN_NS : duty);
        return true;
    }
    beat_clock_refresh(keeper->header);
    wait_until(now + keeper->tick_ns);
    return true;
}

static bool is_present(const struct keeper *keeper)
{
    /* Acquire pairs with the release in publish (session.c). */
    return atomic_load_explicit(&beat_recorder.session, memory_order_acquire) == keeper->session;
}

static void *keep(void *session)
{
    struct keeper keeper = {
        .session = (uint32_t)(uintptr_t)session,
        .begin_ns = beat_clock_monotonic_ns(),
        .refine_ns = FIRST_REFINE_NS,
    };

    (void)pthread_mutex_lock(&beat_recorder.lock);
    if (is_present(&keeper)) {
        keeper.header = beat_recorder.header;
        if (keeper.header->clock_kind == ABI_CLOCK_COARSE) {
            keeper.tick_ns = beat_recorder.options.tick_ms * MS;
            keeper.refine_ns = INT64_MAX;
        }
    }
    (void)pthread_mutex_unlock(&beat_recorder.lock);
    while (keeper.header != NULL && is_present(&keeper) && keep_once(&keeper)) {
    }
    (void)sem_post(&bell); /* a ring that was meant for the keeper of the next session */
    return NULL;
}

void beat_keeper_start(uint32_t session)
{
    pthread_t thread;
    sigset_t all;
    sigset_t before;

    /* The program's signals are the program's. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, NULL, keep, (void *)(uintptr_t)session);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        beat_log(&beat_recorder.options, "no thread for the clock: %s", strerror(error));
        return;
    }
    (void)pthread_detach(thread);
}

void beat_keeper_wake(void)
{
    (void)sem_post(&bell);
}
