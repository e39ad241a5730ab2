#include "recorder/session.h"

#include "recorder/clock.h"
#include "recorder/keeper.h"
#include "recorder/layout.h"
#include "recorder/rings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct beat_recorder beat_recorder = {
    .session = BEAT_FIRST_IDLE,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .memory = {.fd = -1},
    .retired = {.fd = -1},
};

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

static bool is_open(uint32_t session)
{
    return (session & 1) != 0;
}

static uint32_t present(const struct beat_recorder *recorder)
{
    /* Relaxed: written under the lock that our caller holds. */
    return atomic_load_explicit(&recorder->session, memory_order_relaxed);
}

static void publish(struct beat_recorder *recorder, bool open)
{
    uint32_t next = present(recorder) + 1;

    if (is_open(next) != open) {
        next++;
    }
    if (next == BEAT_NO_SESSION) {
        next = BEAT_FIRST_IDLE + 1;
    }
    /* Release: who sees the number sees the tables of that session. Pairs with the acquire in
     * attach (recorder.c) and in the keeper. */
    atomic_store_explicit(&recorder->session, next, memory_order_release);
}

/* ---- Opening ---- */

static bool open_session(struct beat_recorder *recorder, const struct beat_options *options)
{
    recorder->options = *options;
    if (recorder->options.main_thread == 0) {
        recorder->options.main_thread = (int32_t)getpid();
    }
    if (recorder->options.tick_ms == 0) {
        recorder->options.tick_ms = 1;
    }
    uint64_t size = beat_rings_plan(&recorder->options);
    recorder->phase = BEAT_STOPPED;
    recorder->recorded_session = BEAT_NO_SESSION;
    if (size > SIZE_MAX || !beat_layout_take_memory(recorder, (size_t)size)) {
        publish(recorder, false);
        return false;
    }
    recorder->header = (struct abi_trace_header *)(void *)recorder->memory.bytes;
    beat_layout_describe(recorder, options);
    beat_layout_move_to_file(recorder, options->file);
    recorder->options.file = NULL; /* the strings were borrowed */
    recorder->options.mapping = NULL;
    recorder->options.process_name = NULL;
    beat_clock_refresh(recorder->header); /* all this took time */
    publish(recorder, true);
    recorder->recorded_session = present(recorder);
    beat_keeper_start(present(recorder));
    return true;
}

static void close_session(struct beat_recorder *recorder)
{
    publish(recorder, false);
    beat_clock_refine(recorder->header);
    beat_clock_stop(recorder->header);
    recorder->phase = BEAT_STOPPED;
    beat_keeper_wake();
}

bool beat_session_begin(struct beat_recorder *recorder, const struct beat_options *options)
{
    struct beat_options defaults;

    if (recorder->phase != BEAT_IDLE) {
        return is_open(present(recorder));
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
static bool continues(const struct beat_recorder *recorder, const struct beat_options *wanted)
{
    const struct beat_options *now = &recorder->options;
    struct beat_options planned = *wanted;

    (void)beat_rings_plan(&planned);
    return planned.main_words == now->main_words && planned.thread_words == now->thread_words &&
           planned.max_threads == now->max_threads && planned.threads == now->threads &&
           planned.clock == now->clock && planned.tick_ms == now->tick_ms &&
           planned.min_ns == now->min_ns &&
           (planned.main_thread == 0 || planned.main_thread == now->main_thread);
}

/* Somebody starts what the first probe began. */
static void confirm(struct beat_recorder *recorder, const struct beat_options *options)
{
    recorder->options.log = options->log;
    if (options->process_name != NULL) {
        beat_layout_name_process(recorder->header, options->process_name);
    }
    beat_layout_name_mapping(recorder, options);
    if (options->file != NULL) {
        /* Probes attach again, since the file may lack their last few words. */
        publish(recorder, false);
        beat_layout_move_to_file(recorder, options->file);
        publish(recorder, true);
        beat_keeper_start(present(recorder));
    }
    beat_keeper_wake();
}

bool beat_start(const struct beat_options *options)
{
    struct beat_options defaults;

    if (options == NULL) {
        beat_options_init(&defaults);
        options = &defaults;
    }
    struct beat_recorder *recorder = beat_session_lock();
    if (recorder->phase == BEAT_WAITING && continues(recorder, options)) {
        confirm(recorder, options);
        recorder->phase = BEAT_STARTED;
    } else if (recorder->phase != BEAT_STARTED) {
        if (is_open(present(recorder))) {
            close_session(recorder);
        }
        recorder->phase = open_session(recorder, options) ? BEAT_STARTED : BEAT_STOPPED;
    }
    bool recording = recorder->phase == BEAT_STARTED;
    beat_session_unlock(recorder);
    return recording;
}

void beat_stop(void)
{
    struct beat_recorder *recorder = beat_session_lock();

    if (is_open(present(recorder))) {
        close_session(recorder);
        atomic_store_explicit(&recorder->header->state, ABI_TRACE_CLOSED, memory_order_relaxed);
    }
    beat_session_unlock(recorder);
}

bool beat_is_recording(void)
{
    return is_open(atomic_load_explicit(&beat_recorder.session, memory_order_relaxed));
}

bool beat_session_is_waiting(uint32_t session)
{
    struct beat_recorder *recorder = beat_session_lock();
    bool waiting = recorder->phase == BEAT_WAITING && present(recorder) == session;

    beat_session_unlock(recorder);
    return waiting;
}

void beat_session_expire(uint32_t session)
{
    struct beat_recorder *recorder = beat_session_lock();

    if (recorder->phase == BEAT_WAITING && present(recorder) == session) {
        close_session(recorder);
        recorder->recorded_session = BEAT_NO_SESSION;
        beat_memory_retire(&recorder->memory);
    }
    beat_session_unlock(recorder);
}

/* ---- Fork and exit ---- */

static void before_fork(void)
{
    (void)pthread_mutex_lock(&beat_recorder.lock);
}

static void after_fork_in_parent(void)
{
    (void)pthread_mutex_unlock(&beat_recorder.lock);
}

/* The file is the parent's: let go of it before the child's first probe. */
static void after_fork_in_child(void)
{
    if (beat_recorder.phase != BEAT_IDLE) {
        beat_memory_retire(&beat_recorder.memory);
        beat_memory_retire(&beat_recorder.retired);
        publish(&beat_recorder, false);
        beat_recorder.phase = BEAT_STOPPED;
        beat_recorder.recorded_session = BEAT_NO_SESSION;
        beat_recorder.file[0] = '\0';
    }
    beat_forget_cursor();
    beat_keeper_init();
    (void)pthread_mutex_unlock(&beat_recorder.lock);
}

static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static void prepare(void)
{
    beat_keeper_init();
    (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    (void)atexit(beat_stop);
}

struct beat_recorder *beat_session_lock(void)
{
    (void)pthread_once(&prepared, prepare);
    (void)pthread_mutex_lock(&beat_recorder.lock);
    return &beat_recorder;
}

void beat_session_unlock(struct beat_recorder *recorder)
{
    (void)pthread_mutex_unlock(&recorder->lock);
}
