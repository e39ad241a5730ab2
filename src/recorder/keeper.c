#include "recorder/keeper.h"

#include "base/bell.h"
#include "base/clock.h"
#include "base/helpers.h"
#include "base/number.h"
#include "recorder/clock.h"
#include "recorder/control.h"
#include "recorder/drain.h"
#include "recorder/memory.h"

#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FIRST_REFINE_NS (10 * MB_NS_PER_MS)
#define LAST_REFINE_NS (10000 * MB_NS_PER_MS)
#define DOZE_NS (2 * MB_NS_PER_MS)
#define NEVER INT64_MAX
#define SLICE_NS 100000u

static struct mb_bell bell;
static void (*expire)(struct beat_recorder *recorder);
/* Open messages of all loops. The main thread counts as being in one until its first. */
static _Atomic(uint32_t) open_messages = 1;
static _Atomic(bool) main_has_messages;
static _Atomic(bool) resting;
/* True between two rounds that are far apart: a probe that fills half a ring then wakes the
 * keeper. */
static _Atomic(bool) dozing;

/* The one session that is kept. */
struct keeper {
    uint32_t session;
    struct beat_memory *memory; /* pinned: no later session's clock is under our hands */
    struct abi_trace_header *header;
    int64_t begin_ns;
    int64_t tick_ns;   /* 0 with the counter */
    int64_t refine_ns; /* when next, after begin_ns */
    int64_t expire_ns; /* after begin_ns */
    int64_t drain_ns;  /* when next; NEVER: without a profile */
    int64_t awake_ns;  /* until then it had other duties */
    bool dozes;        /* dozing was true when we began to wait */
};

void beat_keeper_forget(struct beat_recorder *recorder)
{
    recorder->keeper_runs = false;
    bell = (struct mb_bell){0};
    atomic_store(&open_messages, 1);
    atomic_store(&main_has_messages, false);
    atomic_store(&resting, false);
    atomic_store(&dozing, false);
}

/* No message runs: sleep until one does, or until there is something else to do. */
static void rest_until(int64_t monotonic_ns)
{
    /* Sequentially consistent, both here and in beat_keeper_message: either we see the message, or
     * it sees us resting and rings. */
    atomic_store(&resting, true);
    if (atomic_load(&open_messages) == 0) {
        (void)mb_bell_wait(&bell, monotonic_ns);
    }
    atomic_store(&resting, false);
}

void beat_keeper_hurry(void)
{
    /* Relaxed: if it is missed, the ring waits for the round that is due anyway. */
    if (atomic_load_explicit(&dozing, memory_order_relaxed) &&
        atomic_exchange_explicit(&dozing, false, memory_order_relaxed)) {
        mb_bell_ring(&bell);
    }
}

/* Each thread counts once, however its messages nest or are cut off by the end of a session. */
static void count_message(struct beat_thread *thread, bool begins)
{
    if (thread->is_in_message != begins) {
        thread->is_in_message = begins;
        atomic_fetch_add(&open_messages, begins ? 1 : UINT32_MAX);
    }
}

void beat_keeper_message(struct abi_trace_header *header, bool is_main, bool begins)
{
    if (header->clock_kind != ABI_CLOCK_COARSE) {
        return;
    }
    beat_clock_refresh(header);
    count_message(&beat_thread, begins);
    /* Relaxed: mostly it is long so. */
    if (is_main && !atomic_load_explicit(&main_has_messages, memory_order_relaxed) &&
        !atomic_exchange(&main_has_messages, true)) {
        atomic_fetch_sub(&open_messages, 1);
    }
    if (begins && atomic_exchange(&resting, false)) {
        mb_bell_ring(&bell);
    }
}

void beat_keeper_thread_ends(struct beat_thread *thread)
{
    count_message(thread, false);
}

static bool is_waiting(const struct beat_recorder *recorder)
{
    return recorder->phase == BEAT_WAITING;
}

/* Do what is due under the lock. False when the session is over. */
static bool do_duties(struct keeper *keeper, struct beat_recorder *recorder, int64_t now)
{
    if (beat_present(recorder) != keeper->session) {
        return false;
    }
    if (is_waiting(recorder) && now - keeper->begin_ns >= keeper->expire_ns) {
        expire(recorder);
        return false;
    }
    if (now - keeper->begin_ns >= keeper->refine_ns) {
        beat_clock_refine(keeper->header);
        keeper->refine_ns = keeper->refine_ns < LAST_REFINE_NS ? keeper->refine_ns * 10 : NEVER;
    }
    return true;
}

/* When more is due, after begin_ns. */
static int64_t next_duty(const struct keeper *keeper, bool waits_for_start)
{
    return waits_for_start && keeper->expire_ns < keeper->refine_ns ? keeper->expire_ns
                                                                    : keeper->refine_ns;
}

/* Drain when a round is due or a probe has rung for one, whatever else woke the keeper. */
static void drain_when_due(struct keeper *keeper)
{
    int64_t now = beat_clock_monotonic_ns();
    bool rang = keeper->drain_ns != NEVER && keeper->dozes &&
                !atomic_exchange_explicit(&dozing, false, memory_order_relaxed);

    keeper->dozes = false;
    if (now < keeper->drain_ns && !rang) {
        return;
    }
    int64_t planned = mb_max_i64(keeper->drain_ns, keeper->awake_ns);
    int64_t interval = beat_drain_round(mb_max_i64(now - planned, 0));
    /* From when this one began: while it went on, rings filled. */
    keeper->drain_ns = interval == BEAT_DRAIN_NEVER ? NEVER : now + interval;
    keeper->dozes = interval != BEAT_DRAIN_NEVER && interval >= DOZE_NS;
    atomic_store_explicit(&dozing, keeper->dozes, memory_order_relaxed);
}

/* False when there is nothing left to keep. */
static bool keep_once(struct keeper *keeper)
{
    if (keeper->drain_ns != NEVER) {
        drain_when_due(keeper);
    }
    int64_t now = beat_clock_monotonic_ns();
    struct beat_recorder *recorder = beat_lock();
    bool goes_on = do_duties(keeper, recorder, now);
    int64_t duty = next_duty(keeper, is_waiting(recorder));
    bool listens = goes_on && beat_control_listens(recorder);

    beat_unlock(recorder);
    if (!goes_on ||
        (keeper->tick_ns == 0 && duty == NEVER && !listens && keeper->drain_ns == NEVER)) {
        return false;
    }
    int64_t until = duty == NEVER ? NEVER : keeper->begin_ns + duty;
    until = mb_min_i64(until, keeper->drain_ns);
    if (listens) {
        beat_control_serve(keeper->header);
        keeper->awake_ns = beat_clock_monotonic_ns();
        until = mb_min_i64(until, now + BEAT_CONTROL_WAIT_NS);
    }
    if (keeper->tick_ns == 0) {
        (void)mb_bell_wait(&bell, until);
    } else if (atomic_load(&open_messages) == 0) {
        rest_until(until);
    } else {
        beat_clock_refresh(keeper->header);
        (void)mb_bell_wait(&bell, mb_min_i64(now + keeper->tick_ns, until));
    }
    return true;
}

/* Take the present session on; false if it is over or was kept before. Under the lock. */
static bool take_on(struct keeper *keeper, struct beat_recorder *recorder)
{
    uint32_t session = beat_present(recorder);

    if (!beat_is_open(session) || session == keeper->session) {
        return false;
    }
    (void)mb_bell_wait(&bell, 0); /* it rang for sessions of before */
    keeper->session = session;
    beat_memory_pin(&keeper->memory, recorder->memory);
    keeper->header = recorder->header;
    keeper->begin_ns = beat_clock_monotonic_ns();
    keeper->awake_ns = keeper->begin_ns;
    keeper->drain_ns = recorder->options->profile == BEAT_ON ? 0 : NEVER;
    keeper->dozes = false;
    keeper->expire_ns = recorder->options->start_within_ms * MB_NS_PER_MS;
    bool is_coarse = keeper->header->clock_kind == ABI_CLOCK_COARSE;
    keeper->tick_ns = is_coarse ? recorder->options->tick_ms * MB_NS_PER_MS : 0;
    keeper->refine_ns = is_coarse ? NEVER : FIRST_REFINE_NS;
    return true;
}

/* The keeper needs the CPU seldom and briefly, but then soon. From Linux 6.12 on, a thread with
 * a shorter time slice is scheduled earlier; older kernels ignore it. Not on Android, which
 * kills apps for unexpected system calls. */
static void ask_for_short_slices(void)
{
#if !defined(__ANDROID__)
    struct { /* sched_setattr(2) */
        uint32_t size;
        uint32_t policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime_ns;
        uint64_t deadline_ns;
        uint64_t period_ns;
    } attributes = {.size = sizeof(attributes)};

    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) == 0 &&
        attributes.policy == SCHED_OTHER) {
        attributes.runtime_ns = SLICE_NS;
        (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
    }
#endif
}

static void *run_keeper(void *unused)
{
    struct keeper keeper = {.session = BEAT_NO_SESSION};

    ask_for_short_slices();
    (void)prctl(PR_SET_NAME, "methodbeat"); /* so that what it costs can be told */
    struct beat_recorder *recorder = beat_lock();

    while (take_on(&keeper, recorder)) {
        beat_unlock(recorder);
        while (keep_once(&keeper)) {
        }
        beat_drain_release();
        recorder = beat_lock();
    }
    beat_memory_pin(&keeper.memory, NULL);
    recorder->keeper_runs = false;
    beat_unlock(recorder);
    return unused;
}

void beat_keeper_start(struct beat_recorder *recorder,
                       void (*on_expiry)(struct beat_recorder *recorder))
{
    pthread_t thread;

    expire = on_expiry;
    if (recorder->keeper_runs) {
        beat_keeper_wake(recorder);
        return;
    }
    int error = mb_helper_create(&thread, run_keeper, NULL);
    if (error != 0) {
        beat_log(recorder->options, "no thread for the clock: %s", strerror(error));
    }
    recorder->keeper_runs = error == 0;
}

void beat_keeper_ring(void)
{
    mb_bell_ring(&bell);
}

void beat_keeper_wake(const struct beat_recorder *recorder)
{
    if (recorder->keeper_runs) {
        mb_bell_ring(&bell);
    }
}
