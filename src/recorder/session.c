#include "recorder/session.h"

#include "recorder/clock.h"
#include "recorder/control.h"
#include "recorder/drain.h"
#include "recorder/keeper.h"
#include "recorder/layout.h"
#include "recorder/memory.h"
#include "recorder/plan.h"
#include "recorder/readings.h"
#include "recorder/rings.h"
#include "recorder/sections.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

void (*_Atomic beat_session_listener)(void);
void (*_Atomic beat_stop_listener)(void);

static void tell_listener(void (*_Atomic *listener)(void))
{
    void (*told)(void) = atomic_load(listener);

    if (told != NULL) {
        told();
    }
}

static void publish_session(struct beat_recorder *recorder, bool open)
{
    uint32_t next = beat_present(recorder) + 1;

    if (beat_is_open(next) != open) {
        next++;
    }
    if (next == BEAT_NO_SESSION) {
        next = BEAT_FIRST_IDLE + 2; /* closed, and not as before the first */
    }
    assert(beat_is_open(next) == open);
    if (!open && recorder->memory != NULL) {
        beat_rings_close(recorder);
    }
    /* Release: who sees the number sees the tables of that session. Pairs with the acquire in
     * attach_thread (attach.c). */
    atomic_store_explicit(&recorder->session, next, memory_order_release);
    tell_listener(&beat_session_listener);
}

/* ---- Closing ---- */

static void close_session(struct beat_recorder *recorder)
{
    assert(beat_is_open(beat_present(recorder)));
    publish_session(recorder, false);
    beat_clock_refine(recorder->header);
    beat_clock_stop(recorder->header);
    recorder->phase = BEAT_STOPPED;
    beat_keeper_wake(recorder);
}

/* The session that the first probe began was not started in time. */
static void expire_session(struct beat_recorder *recorder)
{
    close_session(recorder);
    recorder->recorded_session = BEAT_NO_SESSION;
    beat_memory_release(recorder->memory);
}

/* ---- Opening ---- */

static const struct beat_control_actions control_actions = {
    .stop = beat_stop, .dump = beat_dump, .wake = beat_keeper_ring};

static void correct_options(struct beat_options *options)
{
    if (options->main_thread == 0) {
        options->main_thread = (int32_t)getpid();
    }
    if (options->tick_ms == 0) {
        options->tick_ms = 1;
    }
}

static uint64_t plan_size(struct beat_options *options)
{
    uint32_t wanted_words = options->main_words;
    uint64_t size = beat_plan_fit(options) + beat_sections_plan(options);

    if (options->main_words < wanted_words) {
        beat_log(options, "max_bytes has room for %u words of the main thread, not for %u",
                 options->main_words, wanted_words);
    }
    return size;
}

/* Warn of methods that earlier sessions muted and that this one should record. */
static void tell_of_silent(const struct beat_recorder *recorder)
{
    size_t next = 0;
    size_t count = 0;
    uint32_t id;

    while (beat_next_muted(&next, &id)) {
        count++;
    }
    if (count > 0 && recorder->options->throttle == BEAT_OFF) {
        beat_log(recorder->options,
                 "%zu method%s muted: a recording before this one did it, for "
                 "the life of the process",
                 count, count == 1 ? " stays" : "s stay");
    }
}

static bool open_session(struct beat_recorder *recorder, const struct beat_options *options)
{
    *recorder->options = *options;
    correct_options(recorder->options);
    uint64_t size = plan_size(recorder->options);
    recorder->phase = BEAT_STOPPED;
    recorder->recorded_session = BEAT_NO_SESSION;
    tell_of_silent(recorder);
    atomic_store_explicit(&recorder->has_profile, recorder->options->profile == BEAT_ON,
                          memory_order_relaxed);
    if (size > SIZE_MAX || !beat_layout_take_memory(recorder, (size_t)size)) {
        publish_session(recorder, false);
        return false;
    }
    beat_layout_describe(recorder, options);
    beat_layout_move_to_file(recorder, options->file);
    recorder->options->file = NULL; /* the strings were borrowed */
    recorder->options->mapping = NULL;
    recorder->options->mapping_path = NULL;
    recorder->options->app = NULL;
    recorder->options->process_name = NULL;
    beat_control_begin(recorder, &control_actions);
    beat_clock_refresh(recorder->header); /* all this took time */
    publish_session(recorder, true);
    recorder->recorded_session = beat_present(recorder);
    beat_keeper_start(recorder, expire_session);
    return true;
}

bool beat_session_begin(struct beat_recorder *recorder, const struct beat_options *options)
{
    struct beat_options defaults;

    if (recorder->phase != BEAT_IDLE) {
        return beat_is_open(beat_present(recorder));
    }
    if (options == NULL) {
        beat_options_init(&defaults);
        options = &defaults;
    }
    if (!open_session(recorder, options)) {
        return false;
    }
    recorder->phase = options->file != NULL ? BEAT_STARTED : BEAT_WAITING;
    return true;
}

/* ---- Starting and stopping ---- */

/* Would a session with these options be laid out and timed like the present one? */
static bool can_continue(const struct beat_recorder *recorder, const struct beat_options *wanted)
{
    const struct beat_options *now = recorder->options;
    struct beat_options planned = *wanted;

    (void)beat_plan_fit(&planned);
    (void)beat_sections_plan(&planned);
    return planned.main_words == now->main_words && planned.thread_words == now->thread_words &&
           planned.max_threads == now->max_threads && planned.max_virtual == now->max_virtual &&
           planned.threads == now->threads && planned.clock == now->clock &&
           planned.tick_ms == now->tick_ms && planned.profile == now->profile &&
           planned.sample == now->sample && planned.sample_main_us == now->sample_main_us &&
           planned.sample_threads_us == now->sample_threads_us &&
           planned.sample_engine == now->sample_engine &&
           (planned.profile == BEAT_OFF || planned.profile_nodes == now->profile_nodes) &&
           (planned.main_thread == 0 || planned.main_thread == now->main_thread);
}

/* Take over the session that the first probe began. */
static void confirm_session(struct beat_recorder *recorder, const struct beat_options *options)
{
    recorder->options->log = options->log;
    recorder->options->control = options->control;
    if (options->process_name != NULL) {
        beat_layout_name_process(recorder->header, options->process_name);
    }
    beat_layout_name_mapping(recorder, options);
    beat_identity_note(recorder, options);
    if (options->file != NULL) {
        /* Probes attach again, since the file may lack their last few words. */
        publish_session(recorder, false);
        beat_layout_move_to_file(recorder, options->file);
        beat_control_begin(recorder, &control_actions);
        publish_session(recorder, true);
        beat_keeper_start(recorder, expire_session);
    }
    beat_keeper_wake(recorder);
}

/* False if a file is wanted and not there yet. */
static bool has_file(const struct beat_recorder *recorder, const char *wanted)
{
    return wanted == NULL || wanted[0] == '\0' || recorder->file[0] != '\0';
}

bool beat_start(const struct beat_options *options)
{
    struct beat_options defaults;

    if (options == NULL) {
        beat_options_init(&defaults);
        options = &defaults;
    }
    beat_drain_lock(); /* the profile does not change while a file takes the place of its memory */
    struct beat_recorder *recorder = beat_lock();
    bool waits = recorder->phase == BEAT_WAITING ||
                 (recorder->phase == BEAT_STARTED && !has_file(recorder, options->file));
    if (waits && can_continue(recorder, options)) {
        confirm_session(recorder, options);
        recorder->phase = BEAT_STARTED;
    } else if (waits || recorder->phase != BEAT_STARTED) {
        if (beat_is_open(beat_present(recorder))) {
            close_session(recorder);
        }
        beat_drain_forget();
        recorder->phase = open_session(recorder, options) ? BEAT_STARTED : BEAT_STOPPED;
    }
    bool is_as_asked = recorder->phase == BEAT_STARTED && has_file(recorder, options->file);
    beat_unlock(recorder);
    beat_drain_unlock();
    beat_tell_mutes();
    return is_as_asked;
}

void beat_stop(void)
{
    tell_listener(&beat_stop_listener);
    beat_drain_lock();
    struct beat_recorder *recorder = beat_lock();
    bool ends = beat_is_open(beat_present(recorder));

    if (ends) {
        close_session(recorder);
        beat_unlock(recorder);
        beat_drain_all();
        (void)beat_lock();
        atomic_store_explicit(&recorder->header->state, ABI_TRACE_CLOSED, memory_order_relaxed);
    }
    beat_control_end(recorder);
    beat_unlock(recorder);
    beat_drain_unlock();
}

/* ---- Fork and exit ---- */

static void before_fork(void)
{
    beat_drain_lock();
    (void)beat_lock();
}

static void after_fork_in_parent(void)
{
    beat_unlock(&beat_recorder);
    beat_drain_unlock();
}

/* The file belongs to the parent: drop it before the child's first probe. */
static void after_fork_in_child(void)
{
    struct beat_recorder *recorder = &beat_recorder;

    if (recorder->phase != BEAT_IDLE) {
        publish_session(recorder, false);
        beat_memory_release_all();
        recorder->phase = BEAT_STOPPED;
        recorder->recorded_session = BEAT_NO_SESSION;
        recorder->file[0] = '\0';
        beat_control_forget();
    }
    beat_readings_end(&beat_thread);
    beat_thread = (struct beat_thread){.cursor = &beat_nobody, .busy = true};
    beat_drain_abandon();
    beat_mutes_abandon();
    beat_keeper_forget(recorder);
    beat_unlock(recorder);
    beat_drain_unlock();
}

/* Runs when the library is loaded, before any fork or exit. */
MB_CONSTRUCTOR static void prepare_process(void)
{
    (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    (void)atexit(beat_stop);
}
