#include "sampler/sampler.h"

#include "base/bell.h"
#include "base/clock.h"
#include "base/helpers.h"
#include "base/number.h"
#include "recorder/drain.h"
#include "recorder/session.h"
#include "sampler/blocks.h"
#include "sampler/group.h"
#include "sampler/late.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define LAST_NAP_NS 1000000
#define LAST_NAPS 20
#define FINISH_NAPS 100

enum { MAIN, OTHERS, GROUP_COUNT };

struct loop {
    struct mb_bell bell;
    _Atomic(bool) is_to_finish; /* the session is about to end */
    bool has_group[GROUP_COUNT];
    struct samp_group groups[GROUP_COUNT];
    uint64_t told_cpu_ns;
};

static struct {
    const struct samp_engine *engine;
    struct samp_writer writer; /* under the drain's lock */
    struct loop loops[GROUP_COUNT];
    uint32_t loop_count;
    _Atomic(bool) is_wanted;
    _Atomic(bool) keeps_waits;  /* when it is not */
    _Atomic(uint32_t) running;  /* loops */
    _Atomic(uint32_t) sampling; /* of these */
} sampler;

static MB_THREAD_LOCAL bool is_own_thread;

bool samp_is_own_thread(void)
{
    return is_own_thread;
}

static void ring_all(void)
{
    for (uint32_t i = 0; i < sampler.loop_count; i++) {
        mb_bell_ring(&sampler.loops[i].bell);
    }
}

/* ---- A sampler's thread ---- */

/* The session's intervals; false without one. */
static bool follow_session(struct loop *loop)
{
    beat_drain_lock();
    bool is_there = samp_writer_follow(&sampler.writer);
    const struct beat_options *options = &sampler.writer.tables.options;
    const uint32_t asked_us[GROUP_COUNT] = {options->sample_main_us, options->sample_threads_us};
    for (size_t i = 0; i < GROUP_COUNT; i++) {
        bool is_sampled = is_there && loop->has_group[i] && sampler.engine->kind != 0;
        loop->groups[i].pace.asked_us = is_sampled ? asked_us[i] : 0;
    }
    beat_drain_unlock();
    return is_there;
}

static void sample_due(struct loop *loop)
{
    int64_t now_ns = mb_clock_now_ns();

    for (size_t i = 0; i < GROUP_COUNT; i++) {
        struct samp_group *group = &loop->groups[i];
        if (group->pace.asked_us != 0 && now_ns >= group->due_ns) {
            samp_group_sample(group, now_ns);
        }
    }
}

static int64_t next_due(const struct loop *loop)
{
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < GROUP_COUNT; i++) {
        const struct samp_group *group = &loop->groups[i];
        if (group->pace.asked_us != 0 && group->due_ns < next) {
            next = group->due_ns;
        }
    }
    return next;
}

static bool is_wanted(void)
{
    return atomic_load_explicit(&sampler.is_wanted, memory_order_relaxed);
}

static bool has_questions(void)
{
    for (uint32_t i = 0; i < samp_threads_count(); i++) {
        enum samp_box_state state = samp_box_state(&samp_threads_at(i)->box);
        if ((state == SAMP_BOX_ASKED || state == SAMP_BOX_FILLING) &&
            samp_thread_state(samp_threads_at(i)) == SAMP_THREAD_LIVE) {
            return true;
        }
    }
    return false;
}

/* Answers may be on their way. */
static void finish_groups(struct loop *loop)
{
    const struct timespec nap = {.tv_nsec = LAST_NAP_NS};

    for (int naps = 0; naps < LAST_NAPS && has_questions(); naps++) {
        (void)nanosleep(&nap, NULL);
    }
    for (size_t i = 0; i < GROUP_COUNT; i++) {
        if (loop->has_group[i]) {
            samp_group_finish(&loop->groups[i]);
        }
    }
}

/* Look at all once more, whenever they are due. */
static void finish_session(struct loop *loop)
{
    for (size_t i = 0; i < GROUP_COUNT; i++) {
        loop->groups[i].due_ns = 0;
        loop->groups[i].second_ns = 0;
    }
    sample_due(loop);
    finish_groups(loop);
}

/* Between samples, too, which are further apart than most waits are long. Returns when to come
 * again. */
static int64_t tell_waits(struct loop *loop)
{
    int64_t now_ns = mb_clock_now_ns();

    for (size_t i = 0; i < GROUP_COUNT; i++) {
        struct samp_group *group = &loop->groups[i];
        if (loop->has_group[i] && group->pace.asked_us == 0) {
            samp_group_finish(group);
        } else if (loop->has_group[i]) {
            samp_blocks_write(group->writer, group->engine, group->is_main, now_ns);
        }
    }
    return samp_blocks_next(ring_all, now_ns);
}

static void sample_while_wanted(struct loop *loop)
{
    while (is_wanted()) {
        int64_t until_ns = INT64_MAX;
        bool is_to_finish = atomic_load(&loop->is_to_finish);
        if (follow_session(loop)) {
            sample_due(loop);
            if (is_to_finish) {
                finish_session(loop);
            }
            until_ns = mb_min_i64(next_due(loop), tell_waits(loop));
        }
        if (is_to_finish) {
            atomic_store(&loop->is_to_finish, false);
        }
        (void)mb_bell_wait(&loop->bell, until_ns);
    }
}

/* A later start finds out anew which threads there are. */
static void forget_all(void)
{
    (atomic_load(&sampler.keeps_waits) ? samp_blocks_leave : samp_blocks_forget)(sampler.engine);
    for (uint32_t i = 0; i < samp_threads_count(); i++) {
        struct samp_thread *thread = samp_threads_at(i);
        if (samp_thread_state(thread) != SAMP_THREAD_FREE) {
            void *handle = thread->handle;
            if (samp_threads_free(thread)) {
                sampler.engine->release(handle);
            }
        }
    }
}

static void *run_loop(void *argument)
{
    struct loop *loop = argument;

    is_own_thread = true;
    (void)prctl(PR_SET_NAME, "methodbeat-smpl");
    loop->told_cpu_ns = samp_own_cpu_ns();
    if (sampler.engine->enter()) {
        atomic_fetch_add(&sampler.sampling, 1);
        sample_while_wanted(loop);
        finish_groups(loop);
        if (atomic_fetch_sub(&sampler.sampling, 1) == 1) { /* the last one */
            forget_all();
        }
        sampler.engine->leave();
    }
    atomic_fetch_sub(&sampler.running, 1);
    return NULL;
}

/* ---- Life ---- */

/* Before a session ends: wait until what is known of it is written, but not for ever. */
static void finish_all(void)
{
    const struct timespec nap = {.tv_nsec = LAST_NAP_NS};
    bool is_done = false;

    for (uint32_t i = 0; i < sampler.loop_count; i++) {
        atomic_store(&sampler.loops[i].is_to_finish, true);
    }
    ring_all();
    for (int naps = 0; naps < FINISH_NAPS && !is_done && atomic_load(&sampler.running) > 0;
         naps++) {
        (void)nanosleep(&nap, NULL);
        is_done = true;
        for (uint32_t i = 0; i < sampler.loop_count; i++) {
            is_done = is_done && !atomic_load(&sampler.loops[i].is_to_finish);
        }
    }
}

static void abandon_all(void)
{
    memset(&sampler, 0, sizeof(sampler)); /* memory is the parent's */
    samp_late_yield(false);
    samp_threads_abandon();
    samp_blocks_abandon();
}

static bool prepare_once(void)
{
    static bool is_prepared;

    is_prepared =
        is_prepared || (samp_threads_init() && pthread_atfork(NULL, NULL, abandon_all) == 0);
    return is_prepared;
}

static bool start_loop(struct loop *loop)
{
    pthread_t thread;

    for (size_t i = 0; i < GROUP_COUNT; i++) {
        struct samp_group *group = &loop->groups[i];
        group->engine = sampler.engine;
        group->writer = &sampler.writer;
        group->is_main = i == MAIN;
        group->pace.random = (uint32_t)mb_clock_now_ns();
        group->told_cpu_ns = &loop->told_cpu_ns;
    }
    atomic_fetch_add(&sampler.running, 1);
    if (mb_helper_create(&thread, run_loop, loop) == 0) {
        return true;
    }
    atomic_fetch_sub(&sampler.running, 1);
    return false;
}

static void stop_loops(bool keeps_waits)
{
    const struct timespec nap = {.tv_nsec = LAST_NAP_NS};

    atomic_store(&sampler.keeps_waits, keeps_waits);
    atomic_store(&sampler.is_wanted, false);
    samp_late_yield(false);
    ring_all();
    while (atomic_load(&sampler.running) > 0) {
        (void)nanosleep(&nap, NULL);
    }
    beat_drain_lock();
    samp_writer_finish(&sampler.writer);
    beat_drain_unlock();
}

void samp_stop(void)
{
    stop_loops(false);
}

void samp_pause(void)
{
    stop_loops(true);
}

bool samp_start(const struct samp_engine *engine)
{
    bool is_started = prepare_once();

    if (is_wanted()) {
        return true;
    }
    sampler.engine = engine;
    sampler.loop_count = engine->is_direct ? GROUP_COUNT : 1;
    atomic_store(&sampler.is_wanted, true);
    samp_late_yield(true);
    atomic_store(&beat_session_listener, ring_all);
    atomic_store(&beat_stop_listener, finish_all);
    for (uint32_t i = 0; i < sampler.loop_count && is_started; i++) {
        struct loop *loop = &sampler.loops[i];
        memset(loop, 0, sizeof(*loop));
        loop->has_group[MAIN] = !engine->is_direct || i == MAIN;
        loop->has_group[OTHERS] = !engine->is_direct || i == OTHERS;
        is_started = start_loop(loop);
    }
    if (!is_started) {
        samp_stop();
    }
    return is_started;
}
