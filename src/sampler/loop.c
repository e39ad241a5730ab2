#include "sampler/sampler.h"

#include "base/bell.h"
#include "base/clock.h"
#include "base/helpers.h"
#include "recorder/drain.h"
#include "recorder/session.h"
#include "sampler/blocks.h"
#include "sampler/pace.h"
#include "sampler/writer.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define SIGNAL_NS 8000u /* what a signal takes from a thread besides its handler */
#define STILL_NS 20000u /* CPU time of a thread that did nothing but answer us */
#define LAST_NAP_NS 1000000
#define LAST_NAPS 20
#define FINISH_NAPS 100

enum group { MAIN, OTHERS, GROUP_COUNT };

struct loop {
    struct mb_bell bell;
    _Atomic(bool) is_to_finish; /* the session is about to end */
    bool has_group[GROUP_COUNT];
    struct samp_pace pace[GROUP_COUNT];
    int64_t due_ns[GROUP_COUNT];
    int64_t second_ns; /* when rings are looked for again */
    uint64_t late;     /* since the trace was last told */
    uint64_t target_ns;
    uint64_t own_cpu_ns;
    struct samp_place places[SAMP_DEPTH];
};

static struct {
    const struct samp_engine *engine;
    struct samp_writer writer; /* under the drain's lock */
    struct loop loops[GROUP_COUNT];
    uint32_t loop_count;
    _Atomic(bool) is_wanted;
    _Atomic(uint32_t) running;  /* loops */
    _Atomic(uint32_t) sampling; /* of these */
} sampler;

static MB_THREAD_LOCAL bool is_own_thread;

bool samp_is_own_thread(void)
{
    return is_own_thread;
}

/* ---- One thread ---- */

static bool is_of(const struct samp_thread *thread, enum group group)
{
    return thread->is_main == (group == MAIN);
}

static bool is_in_native(const struct samp_thread *thread)
{
    return thread->box.frames[0].bci < 0;
}

/* What the runtime knows is of now, the stack of a moment ago. Who waits is in a native method, but
 * for a monitor; who took much CPU time since the last sample does not wait. */
static uint32_t judge_state(const struct samp_thread *thread)
{
    const struct samp_box *box = &thread->box;
    uint32_t state = sampler.engine->state(thread);
    int64_t cpu_ns = (int64_t)(box->cpu_ns - thread->seen_cpu_ns);
    bool is_busy = thread->is_known && 2 * cpu_ns > box->time_ns - thread->seen_ns;

    if (state == ABI_SAMPLE_MONITOR) {
        return is_busy ? ABI_SAMPLE_RUNNING : state;
    }
    if (!is_in_native(thread)) {
        return ABI_SAMPLE_RUNNING;
    }
    bool is_at_work = state == ABI_SAMPLE_RUNNING || state == ABI_SAMPLE_NATIVE;
    return !is_at_work ? state : is_busy ? ABI_SAMPLE_RUNNING : ABI_SAMPLE_NATIVE;
}

/* Under the drain's lock. */
static void write_answer(struct loop *loop, struct samp_thread *thread, enum group group)
{
    const struct samp_box *box = &thread->box;

    if (!samp_writer_follow(&sampler.writer)) {
        return;
    }
    if (box->count <= 0) {
        samp_writer_failure(&sampler.writer, thread, box->count);
        return;
    }
    const struct samp_seen seen = {
        .places = loop->places,
        .count = (size_t)box->count,
        .is_cut = box->count == SAMP_DEPTH,
        .line = sampler.engine->line,
        .time_ns = box->time_ns,
        .cpu_ns = box->cpu_ns,
        .state = thread->doing,
        .interval_us = samp_pace_interval_us(&loop->pace[group]),
    };
    samp_writer_sample(&sampler.writer, thread, &seen);
}

/* Take an answer that is there. */
static void collect_answer(struct loop *loop, struct samp_thread *thread, enum group group)
{
    struct samp_box *box = &thread->box;

    if (samp_box_state(box) != SAMP_BOX_FULL) {
        return;
    }
    samp_blocks_unpark(&sampler.writer, sampler.engine, thread, box->time_ns);
    if (box->count > 0) {
        sampler.engine->resolve(box->frames, (size_t)box->count, loop->places);
        thread->doing = judge_state(thread);
    }
    beat_drain_lock();
    write_answer(loop, thread, group);
    beat_drain_unlock();
    thread->seen_cpu_ns = box->cpu_ns;
    thread->seen_ns = box->time_ns;
    thread->is_known = true;
    uint64_t cost_ns = box->took_ns + (sampler.engine->is_direct ? 0 : SIGNAL_NS);
    loop->target_ns += cost_ns;
    loop->pace[group].cost_ns += cost_ns;
    (void)samp_box_clear(box);
}

/* Does its last answer still hold? One that ran, and does not, waits for a processor; what it did
 * on the way into a wait may be too short for its clock. */
static bool is_still(struct samp_thread *thread, uint64_t cpu_ns)
{
    bool has_run = !thread->is_known || cpu_ns - thread->seen_cpu_ns > STILL_NS;

    if (!has_run && thread->doing == ABI_SAMPLE_RUNNING) {
        thread->doing = is_in_native(thread) ? ABI_SAMPLE_NATIVE : ABI_SAMPLE_READY;
    }
    return !has_run && (thread->doing != ABI_SAMPLE_READY ||
                        sampler.engine->state(thread) == ABI_SAMPLE_RUNNING);
}

/* Ask a thread that has run since its last answer. */
static void look_at(struct loop *loop, struct samp_thread *thread, int64_t now_ns)
{
    struct samp_box *box = &thread->box;
    uint64_t cpu_ns;

    thread->is_idle = false;
    if (samp_box_state(box) == SAMP_BOX_ASKED) {
        loop->late++;
        return;
    }
    if (samp_box_state(box) != SAMP_BOX_FREE) {
        return;
    }
    if (!mb_clock_read_thread(thread->thread_id, &cpu_ns)) {
        samp_threads_end(thread->thread_id); /* and nobody has told */
        return;
    }
    if (is_still(thread, cpu_ns)) {
        thread->is_idle = true;
        thread->seen_ns = now_ns;
        return;
    }
    if (!sampler.engine->ask(thread, samp_box_ask(box))) {
        (void)samp_box_clear(box);
    }
}

/* ---- A group ---- */

static void bury_thread(struct samp_thread *thread, int64_t now_ns)
{
    void *handle = thread->handle;

    samp_blocks_unpark(&sampler.writer, sampler.engine, thread, now_ns);
    beat_drain_lock();
    if (samp_writer_follow(&sampler.writer)) {
        samp_writer_end(&sampler.writer, thread);
    }
    beat_drain_unlock();
    if (samp_threads_free(thread)) {
        sampler.engine->release(handle);
    }
}

static void look_at_all(struct loop *loop, enum group group, int64_t now_ns)
{
    for (uint32_t i = 0; i < samp_threads_count(); i++) {
        struct samp_thread *thread = samp_threads_at(i);
        uint32_t life = samp_thread_state(thread);
        if (life == SAMP_THREAD_FREE || !is_of(thread, group)) {
            continue;
        }
        collect_answer(loop, thread, group);
        if (life == SAMP_THREAD_ENDED) {
            bury_thread(thread, now_ns);
        } else {
            look_at(loop, thread, now_ns);
        }
    }
}

static void collect_all(struct loop *loop, enum group group)
{
    for (uint32_t i = 0; i < samp_threads_count(); i++) {
        struct samp_thread *thread = samp_threads_at(i);
        if (samp_thread_state(thread) != SAMP_THREAD_FREE && is_of(thread, group)) {
            collect_answer(loop, thread, group);
        }
    }
}

/* Under the drain's lock. */
static void write_idle(enum group group, int64_t now_ns)
{
    for (uint32_t i = 0; i < samp_threads_count(); i++) {
        struct samp_thread *thread = samp_threads_at(i);
        if (samp_thread_state(thread) == SAMP_THREAD_LIVE && is_of(thread, group) &&
            thread->is_idle) {
            samp_writer_idle(&sampler.writer, thread, now_ns, thread->doing);
        }
    }
}

static void tell_figures(struct loop *loop, enum group group)
{
    struct abi_sampling *figures = sampler.writer.tables.sampling;
    const struct samp_pace *pace = &loop->pace[group];
    uint64_t cpu_ns = (uint64_t)mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);

    figures->engine = sampler.engine->kind;
    figures->depth = SAMP_DEPTH;
    figures->main_interval_us = sampler.writer.tables.options.sample_main_us;
    figures->threads_interval_us = sampler.writer.tables.options.sample_threads_us;
    atomic_store_explicit(group == MAIN ? &figures->main_interval_now_us
                                        : &figures->threads_interval_now_us,
                          samp_pace_interval_us(pace), memory_order_relaxed);
    atomic_store_explicit(group == MAIN ? &figures->widest_main_us : &figures->widest_threads_us,
                          pace->widest_us, memory_order_relaxed);
    samp_add(&figures->late, loop->late);
    samp_add(&figures->target_ns, loop->target_ns);
    samp_add(&figures->own_ns, cpu_ns - loop->own_cpu_ns);
    loop->late = 0;
    loop->target_ns = 0;
    loop->own_cpu_ns = cpu_ns;
}

static void write_rest(struct loop *loop, enum group group, int64_t now_ns)
{
    beat_drain_lock();
    if (samp_writer_follow(&sampler.writer)) {
        write_idle(group, now_ns);
        tell_figures(loop, group);
        if (now_ns >= loop->second_ns) {
            samp_writer_join_rings(&sampler.writer);
            loop->second_ns = now_ns + MB_NS_PER_S;
        }
    }
    beat_drain_unlock();
}

static void sample_group(struct loop *loop, enum group group, int64_t now_ns)
{
    struct samp_pace *pace = &loop->pace[group];
    uint64_t before_ns = (uint64_t)mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);

    look_at_all(loop, group, now_ns);
    collect_all(loop, group);
    write_rest(loop, group, now_ns);
    samp_blocks_write(&sampler.writer, sampler.engine, group == MAIN, now_ns);
    pace->cost_ns += (uint64_t)mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
    samp_pace_judge(pace, now_ns, mb_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID));
    loop->due_ns[group] = samp_pace_next(pace, now_ns);
}

/* ---- A sampler's thread ---- */

/* The session's intervals; false without one. */
static bool follow_session(struct loop *loop)
{
    beat_drain_lock();
    bool is_there = samp_writer_follow(&sampler.writer);
    const struct beat_options *options = &sampler.writer.tables.options;
    loop->pace[MAIN].asked_us = is_there && loop->has_group[MAIN] ? options->sample_main_us : 0;
    loop->pace[OTHERS].asked_us =
        is_there && loop->has_group[OTHERS] ? options->sample_threads_us : 0;
    beat_drain_unlock();
    return is_there;
}

static void sample_due(struct loop *loop)
{
    int64_t now_ns = mb_clock_now_ns();

    for (enum group group = MAIN; group < GROUP_COUNT; group++) {
        if (loop->pace[group].asked_us != 0 && now_ns >= loop->due_ns[group]) {
            sample_group(loop, group, now_ns);
        }
    }
}

static int64_t next_due(const struct loop *loop)
{
    int64_t next = INT64_MAX;

    for (enum group group = MAIN; group < GROUP_COUNT; group++) {
        if (loop->pace[group].asked_us != 0 && loop->due_ns[group] < next) {
            next = loop->due_ns[group];
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

/* What a group's threads did until now, without new questions. */
static void finish_group(struct loop *loop, enum group group)
{
    int64_t now_ns = mb_clock_now_ns();

    collect_all(loop, group);
    samp_blocks_write(&sampler.writer, sampler.engine, group == MAIN, now_ns);
    for (uint32_t i = 0; i < samp_threads_count(); i++) {
        struct samp_thread *thread = samp_threads_at(i);
        if (samp_thread_state(thread) == SAMP_THREAD_ENDED && is_of(thread, group)) {
            bury_thread(thread, now_ns);
        }
    }
}

/* Answers may be on their way. */
static void finish_groups(struct loop *loop)
{
    const struct timespec nap = {.tv_nsec = LAST_NAP_NS};

    for (int naps = 0; naps < LAST_NAPS && has_questions(); naps++) {
        (void)nanosleep(&nap, NULL);
    }
    for (enum group group = MAIN; group < GROUP_COUNT; group++) {
        if (loop->has_group[group]) {
            finish_group(loop, group);
        }
    }
}

/* Look at all once more, whenever they are due. */
static void finish_session(struct loop *loop)
{
    memset(loop->due_ns, 0, sizeof(loop->due_ns));
    sample_due(loop);
    finish_groups(loop);
}

static void sample_while_wanted(struct loop *loop)
{
    while (is_wanted()) {
        int64_t until_ns = INT64_MAX;
        bool is_to_finish = atomic_load(&loop->is_to_finish);
        if (follow_session(loop)) {
            sample_due(loop);
            until_ns = next_due(loop);
            if (is_to_finish) {
                finish_session(loop);
            }
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
    samp_blocks_forget(sampler.engine);
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
    (void)prctl(PR_SET_NAME, "methodbeat");
    loop->own_cpu_ns = (uint64_t)mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
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

static void ring_all(void)
{
    for (uint32_t i = 0; i < sampler.loop_count; i++) {
        mb_bell_ring(&sampler.loops[i].bell);
    }
}

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

    for (enum group group = MAIN; group < GROUP_COUNT; group++) {
        loop->pace[group].random = (uint32_t)mb_clock_now_ns();
    }
    atomic_fetch_add(&sampler.running, 1);
    if (mb_helper_create(&thread, run_loop, loop) == 0) {
        return true;
    }
    atomic_fetch_sub(&sampler.running, 1);
    return false;
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
    atomic_store(&beat_session_listener, ring_all);
    atomic_store(&beat_stop_listener, finish_all);
    for (uint32_t i = 0; i < sampler.loop_count && is_started; i++) {
        sampler.loops[i] = (struct loop){
            .has_group = {!engine->is_direct || i == MAIN, !engine->is_direct || i == OTHERS}};
        is_started = start_loop(&sampler.loops[i]);
    }
    if (!is_started) {
        samp_stop();
    }
    return is_started;
}

void samp_stop(void)
{
    const struct timespec nap = {.tv_nsec = LAST_NAP_NS};

    atomic_store(&sampler.is_wanted, false);
    ring_all();
    while (atomic_load(&sampler.running) > 0) {
        (void)nanosleep(&nap, NULL);
    }
    beat_drain_lock();
    samp_writer_finish(&sampler.writer);
    beat_drain_unlock();
}
