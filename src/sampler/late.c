#include "sampler/late.h"

#include "recorder/drain.h"
#include "recorder/sections.h"

#include <unistd.h>

/* Between two stacks nothing holds the session's memory. Under the drain's lock. */
static struct samp_writer writer;

static _Atomic(bool) is_engine_on;

void samp_late_yield(bool is_on)
{
    atomic_store(&is_engine_on, is_on);
}

bool samp_late_yields(void)
{
    return atomic_load(&is_engine_on);
}

static uint32_t interval_of(const struct beat_options *options, bool is_main)
{
    return is_main ? options->sample_main_us : options->sample_threads_us;
}

static bool is_wanted(const struct beat_options *options)
{
    return beat_sections_has_samples(options) && !samp_late_yields() &&
           (options->sample_engine == BEAT_ENGINE_AUTO ||
            options->sample_engine == BEAT_ENGINE_JAVA);
}

bool samp_late_is_wanted(void)
{
    struct beat_recorder *recorder = beat_lock();
    bool wanted = beat_is_present(recorder) && is_wanted(recorder->options);

    beat_unlock(recorder);
    return wanted;
}

static bool is_main(const struct samp_thread *thread)
{
    int32_t main = writer.tables.options.main_thread;

    return thread->thread_id == (uint32_t)(main != 0 ? main : getpid());
}

/* Looks at one stretch are ever farther apart: each stands for the time since the one before. */
static uint32_t find_interval(const struct samp_thread *thread, const struct samp_late *late)
{
    const struct samp_track *track = &thread->track;
    int64_t last_ns = writer.tables.start_ns + (int64_t)track->until;
    int64_t since_us = (late->seen.time_ns - last_ns) / 1000;
    bool is_next = track->session == writer.tables.session && last_ns >= late->since_ns;

    return is_next && since_us > late->seen.interval_us && since_us < UINT32_MAX
               ? (uint32_t)since_us
               : late->seen.interval_us;
}

/* In native code a thread waits, unless it took much CPU time since it was last seen. */
static uint32_t find_state(const struct samp_thread *thread, const struct samp_seen *seen)
{
    int64_t cpu_ns = (int64_t)(seen->cpu_ns - thread->seen_cpu_ns);
    bool is_busy = thread->is_known && 2 * cpu_ns > seen->time_ns - thread->seen_ns;

    return seen->state == ABI_SAMPLE_NATIVE && is_busy ? ABI_SAMPLE_RUNNING : seen->state;
}

static void tell_widest(_Atomic(uint32_t) *widest_us, uint32_t interval_us)
{
    if (interval_us > atomic_load_explicit(widest_us, memory_order_relaxed)) {
        atomic_store_explicit(widest_us, interval_us, memory_order_relaxed);
    }
}

static void tell_figures(const struct samp_thread *thread, const struct samp_late *late,
                         uint32_t interval_us)
{
    struct abi_sampling *figures = writer.tables.sampling;
    const struct beat_options *options = &writer.tables.options;

    figures->engine = ABI_ENGINE_JAVA;
    figures->depth = SAMP_DEPTH;
    figures->main_interval_us = late->seen.interval_us;
    figures->threads_interval_us =
        options->sample_threads_us != 0 ? late->seen.interval_us : options->sample_threads_us;
    tell_widest(thread->is_main ? &figures->widest_main_us : &figures->widest_threads_us,
                interval_us);
    samp_add(&figures->target_ns, late->took_ns);
    samp_add(&figures->own_ns, late->took_ns);
}

static void write_stack(struct samp_thread *thread, const struct samp_late *late)
{
    struct samp_seen seen = late->seen;

    thread->is_main = is_main(thread);
    if (!is_wanted(&writer.tables.options) ||
        interval_of(&writer.tables.options, thread->is_main) == 0) {
        return;
    }
    seen.since_ns = seen.time_ns;
    seen.interval_us = find_interval(thread, late);
    seen.state = find_state(thread, &seen);
    samp_writer_sample(&writer, thread, &seen);
    samp_writer_join_rings(&writer);
    tell_figures(thread, late, seen.interval_us);
    thread->seen_cpu_ns = seen.cpu_ns;
    thread->seen_ns = seen.time_ns;
    thread->is_known = true;
}

void samp_late_put(struct samp_thread *thread, const struct samp_late *late)
{
    beat_drain_lock();
    if (samp_writer_follow(&writer)) {
        write_stack(thread, late);
    }
    samp_writer_finish(&writer);
    beat_drain_unlock();
}

void samp_late_end(struct samp_thread *thread)
{
    if (thread->track.session == 0) {
        return;
    }
    beat_drain_lock();
    if (samp_writer_follow(&writer)) {
        samp_writer_end(&writer, thread);
    }
    samp_writer_finish(&writer);
    beat_drain_unlock();
}
