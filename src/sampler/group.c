#include "sampler/group.h"

#include "base/clock.h"
#include "recorder/drain.h"
#include "sampler/blocks.h"
#include "sampler/ids.h"
#include "sampler/threads.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- How often ---- */

#define BUDGET 100       /* a hundredth, */
#define FINE_US 2000u    /* or two for those who ask for this or less, */
#define COARSE_US 50000u /* or a half, of CPU time alone, for those who ask for this or more */
#define MOST_US 1000000u /* however dear samples are */
#define JITTER_SHARE 8u

uint32_t samp_pace_interval_us(const struct samp_pace *pace)
{
    return pace->now_us > pace->asked_us ? pace->now_us : pace->asked_us;
}

static void change_interval(struct samp_pace *pace, uint64_t cost_ns, uint64_t budget_ns)
{
    uint32_t interval = samp_pace_interval_us(pace);

    if (cost_ns > budget_ns && interval < MOST_US) {
        interval *= 2;
    } else if (cost_ns < budget_ns / 2 && interval > pace->asked_us) {
        interval /= 2;
    }
    pace->now_us = interval;
    pace->widest_us = samp_pace_interval_us(pace) > pace->widest_us ? samp_pace_interval_us(pace)
                                                                    : pace->widest_us;
}

void samp_pace_judge(struct samp_pace *pace, int64_t now_ns, int64_t process_cpu_ns)
{
    int64_t wall_ns = now_ns - pace->since_ns;
    int64_t cpu_ns = process_cpu_ns - pace->since_cpu_ns;

    if (pace->since_ns != 0 && wall_ns < MB_NS_PER_S) {
        return;
    }
    if (pace->since_ns != 0) {
        bool is_sparing = pace->asked_us >= COARSE_US;
        uint64_t sum_ns = pace->target_ns + pace->own_ns;
        uint64_t cost_ns = pace->target_ns > pace->own_ns ? pace->target_ns : pace->own_ns;
        uint64_t share = pace->asked_us <= FINE_US ? 2 : 1;
        change_interval(pace, is_sparing ? 2 * sum_ns : cost_ns,
                        share * (uint64_t)(is_sparing || cpu_ns > wall_ns ? cpu_ns : wall_ns) /
                            BUDGET);
    }
    pace->target_ns = 0;
    pace->own_ns = 0;
    pace->since_ns = now_ns;
    pace->since_cpu_ns = process_cpu_ns;
}

static uint32_t next_random(struct samp_pace *pace)
{
    pace->random = pace->random * 1664525u + 1013904223u;
    return pace->random >> 8;
}

int64_t samp_pace_next(struct samp_pace *pace, int64_t now_ns)
{
    int64_t interval_ns = (int64_t)samp_pace_interval_us(pace) * 1000;
    int64_t most = interval_ns / JITTER_SHARE;

    if (pace->asked_us == 0) {
        return INT64_MAX;
    }
    return now_ns + interval_ns - most + (int64_t)(next_random(pace) % (uint32_t)(2 * most));
}

/* ---- Samples ---- */

#define SIGNAL_NS 8000u                  /* what a signal takes from a thread besides its handler */
#define PATIENCE_NS (250 * MB_NS_PER_MS) /* for an answer that may be on its way */
#define STILL_NS 20000u                  /* CPU time of a thread that did nothing but answer us */
#define LEAST_NS (5 * MB_NS_PER_MS)      /* for waiting for polls, beside half of an interval */

uint64_t samp_own_cpu_ns(void)
{
    return (uint64_t)mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- One thread: whether it has run, the question for its stack, the answer ---- */

static bool is_in_native(const struct samp_thread *thread)
{
    return thread->box.frames[0].bci < 0;
}

/* ---- Answers ---- */

/* In unknown native code: the thread waits there unless it can run. One that took half of the time
 * since the last sample runs, others had no processor. */
static uint32_t judge_native(const struct samp_thread *thread, bool is_busy)
{
    if (is_busy) {
        return ABI_SAMPLE_RUNNING;
    }
    return samp_task_is_runnable(thread->thread_id) ? ABI_SAMPLE_READY : ABI_SAMPLE_NATIVE;
}

/* What the runtime knows is of now, the stack of a moment ago. Who waits is in a native method, but
 * for a monitor; who took much CPU time since the last sample does not wait. */
static uint32_t judge_state(const struct samp_group *group, const struct samp_thread *thread)
{
    const struct samp_box *box = &thread->box;
    uint32_t state = group->engine->state(thread);
    int64_t cpu_ns = (int64_t)(box->cpu_ns - thread->seen_cpu_ns);
    bool is_busy = thread->is_known && 2 * cpu_ns > box->time_ns - thread->seen_ns;

    if (state == ABI_SAMPLE_MONITOR) {
        return is_busy ? ABI_SAMPLE_RUNNING : state;
    }
    if (!is_in_native(thread)) {
        return ABI_SAMPLE_RUNNING;
    }
    bool is_at_work = state == ABI_SAMPLE_RUNNING || state == ABI_SAMPLE_NATIVE;
    return is_at_work ? judge_native(thread, is_busy) : state;
}

/* The outermost method of a stack that is not cut; else NULL. */
static void *root_of(const struct samp_box *box)
{
    bool is_whole = box->count > 0 && box->count < SAMP_DEPTH;

    return is_whole ? box->frames[box->count - 1].method : NULL;
}

/* A walk may end early, and nothing tells but that the thread begins elsewhere. */
static bool is_believable(const struct samp_thread *thread)
{
    const void *root = root_of(&thread->box);

    return thread->box.count > 0 && (root == NULL || thread->root == NULL || thread->root == root);
}

static bool has_time_to_poll(const struct samp_group *group)
{
    int64_t half_ns = (int64_t)samp_pace_interval_us(&group->pace) * 500;

    return mb_clock_now_ns() - group->begin_ns <= (half_ns > LEAST_NS ? half_ns : LEAST_NS);
}

/* The engine's answer cannot be right. */
static bool is_to_poll(const struct samp_group *group, const struct samp_thread *thread)
{
    return group->engine->poll != NULL && !is_believable(thread);
}

static bool poll_stack(const struct samp_group *group, struct samp_thread *thread)
{
    bool is_polled = is_to_poll(group, thread);

    if (is_polled) {
        group->engine->poll(thread);
    }
    if (is_polled || thread->root == NULL) {
        thread->root = root_of(&thread->box);
    }
    return is_polled && thread->box.count > 0;
}

/* Under the drain's lock. */
static void write_answer(struct samp_group *group, struct samp_thread *thread, bool is_polled)
{
    const struct samp_box *box = &thread->box;

    if (!samp_writer_follow(group->writer)) {
        return;
    }
    if (box->count <= 0) {
        samp_writer_failure(group->writer, thread, box->count);
        return;
    }
    const struct samp_seen seen = {
        .places = group->places,
        .count = (size_t)box->count,
        .is_cut = box->count == SAMP_DEPTH,
        .since_ns = group->engine->is_direct || is_polled ? box->time_ns : thread->asked_ns,
        .time_ns = box->time_ns,
        .cpu_ns = box->cpu_ns,
        .state = thread->doing,
        .interval_us = samp_pace_interval_us(&group->pace),
        .is_polled = is_polled,
    };
    samp_writer_sample(group->writer, thread, &seen);
}

/* Take an answer that is there, unless it has to be polled for and other polls took long. */
static void collect_answer(struct samp_group *group, struct samp_thread *thread)
{
    struct samp_box *box = &thread->box;

    if (samp_box_state(box) != SAMP_BOX_FULL ||
        (is_to_poll(group, thread) && !has_time_to_poll(group))) {
        return; /* or next time */
    }
    bool is_polled = poll_stack(group, thread) || thread->lost == SAMP_DEAF;
    thread->lost = thread->lost == SAMP_DEAF ? SAMP_DEAF : 0;
    samp_blocks_unpark(group->writer, group->engine, thread, box->time_ns);
    if (box->count > 0) {
        group->engine->resolve(box->frames, (size_t)box->count, group->places);
        thread->doing = judge_state(group, thread);
    }
    beat_drain_lock();
    write_answer(group, thread, is_polled);
    beat_drain_unlock();
    thread->seen_cpu_ns = box->cpu_ns;
    thread->seen_ns = box->time_ns;
    thread->is_known = true;
    uint64_t cost_ns = box->took_ns + (group->engine->is_direct ? 0 : SIGNAL_NS);
    group->target_ns += cost_ns;
    group->pace.target_ns += cost_ns;
    (void)samp_box_clear(box);
}

/* ---- Questions ---- */

static bool is_on_way(const struct samp_thread *thread)
{
    return thread->doing == ABI_SAMPLE_RUNNING || thread->doing == ABI_SAMPLE_READY;
}

/* Does its last answer still hold? One that ran, and does not, waits for a processor; what it did
 * on the way into a wait may be too short for its clock. */
static bool is_still(const struct samp_group *group, struct samp_thread *thread, uint64_t cpu_ns)
{
    if (!thread->is_known || cpu_ns - thread->seen_cpu_ns > STILL_NS) {
        return false;
    }
    if (is_on_way(thread) && is_in_native(thread)) {
        thread->doing = judge_native(thread, false);
        return true;
    }
    if (thread->doing == ABI_SAMPLE_RUNNING) {
        thread->doing = ABI_SAMPLE_READY;
    }
    return thread->doing != ABI_SAMPLE_READY || group->engine->state(thread) == ABI_SAMPLE_RUNNING;
}

/* If nothing will come of it. */
static void give_up_question(const struct samp_group *group, struct samp_thread *thread,
                             int64_t now_ns)
{
    if (group->engine->is_lost != NULL && now_ns > thread->patience_ns) {
        thread->patience_ns = now_ns + PATIENCE_NS;
        if (group->engine->is_lost(thread)) {
            (void)samp_box_clear(&thread->box);
        }
    }
}

/* Ask a thread that has run since its last answer. */
static void ask_thread(struct samp_group *group, struct samp_thread *thread, int64_t now_ns)
{
    struct samp_box *box = &thread->box;
    uint64_t cpu_ns;

    thread->is_idle = false;
    if (samp_box_state(box) == SAMP_BOX_ASKED) {
        group->late++;
        give_up_question(group, thread, now_ns);
    }
    if (samp_box_state(box) != SAMP_BOX_FREE) {
        return;
    }
    if (!mb_clock_read_thread(thread->thread_id, &cpu_ns)) {
        samp_threads_end(thread->thread_id); /* its end was missed */
        return;
    }
    if (is_still(group, thread, cpu_ns)) {
        thread->is_idle = true;
        thread->seen_ns = now_ns;
        return;
    }
    thread->asked_ns = mb_clock_now_ns();
    thread->patience_ns = thread->asked_ns + PATIENCE_NS;
    if (!group->engine->ask(thread, samp_box_ask(box))) {
        (void)samp_box_clear(box);
    }
}

/* ---- All threads ---- */

/* The group's thread that comes next from *next on; NULL after the last. */
static struct samp_thread *next_thread(const struct samp_group *group, uint32_t *next)
{
    while (*next < samp_threads_count()) {
        struct samp_thread *thread = samp_threads_at((*next)++);
        if (samp_thread_state(thread) != SAMP_THREAD_FREE && thread->is_main == group->is_main) {
            return thread;
        }
    }
    return NULL;
}

static void bury_thread(struct samp_group *group, struct samp_thread *thread, int64_t now_ns)
{
    void *handle = thread->handle;

    samp_blocks_unpark(group->writer, group->engine, thread, now_ns);
    beat_drain_lock();
    if (samp_writer_follow(group->writer)) {
        samp_writer_end(group->writer, thread);
    }
    beat_drain_unlock();
    if (samp_threads_free(thread)) {
        group->engine->release(handle);
    }
}

static void look_at_all(struct samp_group *group, int64_t now_ns)
{
    struct samp_thread *thread;

    for (uint32_t next = 0; (thread = next_thread(group, &next)) != NULL;) {
        uint32_t life = samp_thread_state(thread);
        collect_answer(group, thread);
        if (life == SAMP_THREAD_ENDED) {
            bury_thread(group, thread, now_ns);
        } else {
            ask_thread(group, thread, now_ns);
        }
    }
}

static void collect_all(struct samp_group *group)
{
    struct samp_thread *thread;

    for (uint32_t next = 0; (thread = next_thread(group, &next)) != NULL;) {
        collect_answer(group, thread);
    }
}

/* Under the drain's lock. */
static void write_idle(const struct samp_group *group, int64_t now_ns)
{
    struct samp_thread *thread;

    for (uint32_t next = 0; (thread = next_thread(group, &next)) != NULL;) {
        if (samp_thread_state(thread) == SAMP_THREAD_LIVE && thread->is_idle) {
            samp_writer_idle(group->writer, thread, now_ns, thread->doing);
        }
    }
}

static void write_usage(const struct samp_group *group)
{
    struct samp_thread *thread;

    for (uint32_t next = 0; (thread = next_thread(group, &next)) != NULL;) {
        struct beat_usage usage = {0};
        if (samp_thread_state(thread) == SAMP_THREAD_LIVE &&
            beat_usage_read(&usage, thread->thread_id)) {
            samp_writer_usage(group->writer, thread, &usage);
        }
    }
}

static void tell_figures(struct samp_group *group)
{
    const struct samp_tables *tables = &group->writer->tables;
    struct abi_sampling *figures = tables->sampling;
    const struct samp_pace *pace = &group->pace;
    uint64_t cpu_ns = samp_own_cpu_ns();

    figures->engine = group->engine->kind;
    figures->depth = SAMP_DEPTH;
    figures->left_out = samp_threads_left_out();
    figures->crowded = samp_ids_crowded();
    figures->fills_gaps = tables->options.sample == BEAT_SAMPLE_GAPS;
    figures->main_interval_us = tables->options.sample_main_us;
    figures->threads_interval_us = tables->options.sample_threads_us;
    atomic_store_explicit(group->is_main ? &figures->main_interval_now_us
                                         : &figures->threads_interval_now_us,
                          samp_pace_interval_us(pace), memory_order_relaxed);
    atomic_store_explicit(group->is_main ? &figures->widest_main_us : &figures->widest_threads_us,
                          pace->widest_us, memory_order_relaxed);
    samp_add(&figures->late, group->late);
    samp_add(&figures->target_ns, group->target_ns);
    samp_add(&figures->own_ns, cpu_ns - *group->told_cpu_ns);
    group->late = 0;
    group->target_ns = 0;
    *group->told_cpu_ns = cpu_ns;
}

static void write_rest(struct samp_group *group, int64_t now_ns)
{
    beat_drain_lock();
    if (samp_writer_follow(group->writer)) {
        write_idle(group, now_ns);
        tell_figures(group);
        if (now_ns >= group->second_ns) {
            samp_writer_join_rings(group->writer);
            write_usage(group);
            group->second_ns = now_ns + MB_NS_PER_S;
        }
    }
    beat_drain_unlock();
}

void samp_group_sample(struct samp_group *group, int64_t now_ns)
{
    struct samp_pace *pace = &group->pace;
    uint64_t before_ns = samp_own_cpu_ns();

    group->begin_ns = now_ns;
    look_at_all(group, now_ns);
    collect_all(group);
    write_rest(group, now_ns);
    samp_blocks_write(group->writer, group->engine, group->is_main, now_ns);
    pace->own_ns += samp_own_cpu_ns() - before_ns;
    samp_pace_judge(pace, now_ns, mb_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID));
    group->due_ns = samp_pace_next(pace, now_ns);
}

void samp_group_finish(struct samp_group *group)
{
    int64_t now_ns = mb_clock_now_ns();
    struct samp_thread *thread;

    group->begin_ns = now_ns;
    collect_all(group);
    samp_blocks_write(group->writer, group->engine, group->is_main, now_ns);
    for (uint32_t next = 0; (thread = next_thread(group, &next)) != NULL;) {
        if (samp_thread_state(thread) == SAMP_THREAD_ENDED) {
            bury_thread(group, thread, now_ns);
        }
    }
}
