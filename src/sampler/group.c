#include "sampler/group.h"

#include "base/clock.h"
#include "recorder/drain.h"
#include "sampler/blocks.h"
#include "sampler/ids.h"
#include "sampler/look.h"

uint64_t samp_own_cpu_ns(void)
{
    return (uint64_t)mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

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
        samp_look_collect(group, thread);
        if (life == SAMP_THREAD_ENDED) {
            bury_thread(group, thread, now_ns);
        } else {
            samp_look_ask(group, thread, now_ns);
        }
    }
}

static void collect_all(struct samp_group *group)
{
    struct samp_thread *thread;

    for (uint32_t next = 0; (thread = next_thread(group, &next)) != NULL;) {
        samp_look_collect(group, thread);
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
