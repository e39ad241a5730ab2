#include "recorder/control.h"

#include "abi/control.h"
#include "recorder/memory.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Relaxed: it is a constant, and there before anybody listens. */
static const struct beat_control_actions *_Atomic known_actions;
static _Atomic(bool) wants_dump; /* the signal came */
static bool has_signal;          /* under the lock */

static const struct beat_control_actions *get_actions(void)
{
    return atomic_load_explicit(&known_actions, memory_order_relaxed);
}

/* ---- The signal ---- */

static void note_signal(int number)
{
    int saved = errno;

    (void)number;
    atomic_store_explicit(&wants_dump, true, memory_order_relaxed); /* the bell orders it */
    get_actions()->wake();
    errno = saved;
}

/* A handler of the program, or of a JVM that suspends threads by this signal, stays. */
static void take_signal(void)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    struct sigaction old;

    (void)sigemptyset(&action.sa_mask);
    if (!has_signal && sigaction(SIGUSR2, NULL, &old) == 0 && (old.sa_flags & SA_SIGINFO) == 0 &&
        old.sa_handler == SIG_DFL) {
        has_signal = sigaction(SIGUSR2, &action, NULL) == 0;
    }
}

static void give_signal_back(void)
{
    struct sigaction now;

    if (has_signal && sigaction(SIGUSR2, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
        now.sa_handler == note_signal) {
        (void)signal(SIGUSR2, SIG_DFL);
    }
    has_signal = false;
    atomic_store_explicit(&wants_dump, false, memory_order_relaxed);
}

/* ---- Who listens ---- */

/* The last request of any session; whether it is being served; under the lock. */
static uint64_t last_request;
static bool is_serving;
static bool is_pausing; /* what stops now is a request */

static bool has_channel(const struct beat_recorder *recorder)
{
    return recorder->options.control == BEAT_ON && recorder->memory != NULL &&
           recorder->memory->fd >= 0;
}

bool beat_control_listens(const struct beat_recorder *recorder)
{
    return has_channel(recorder) && (beat_is_open(beat_present(recorder)) || recorder->is_paused);
}

static void store_answer(struct beat_recorder *recorder, uint64_t word)
{
    /* Release: pairs with the acquire of the asking process. */
    atomic_store_explicit(&recorder->header->answered, word, memory_order_release);
}

/* Option texts that a start from outside has to repeat. Under the lock. */
static char *last_throttle;
static char *last_never_mute;

static char *copy_text(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

static void keep_texts(const struct beat_options *options)
{
    free(last_throttle);
    free(last_never_mute);
    last_throttle = copy_text(options->throttle);
    last_never_mute = copy_text(options->never_mute);
}

/* Request numbers continue across sessions: the process that asked for this session waits for
 * its answer in the new header. */
void beat_control_begin(struct beat_recorder *recorder, const struct beat_options *options,
                        const struct beat_control_actions *actions)
{
    atomic_store_explicit(&known_actions, actions, memory_order_relaxed);
    recorder->is_paused = false;
    keep_texts(options);
    if (!has_channel(recorder)) {
        store_answer(recorder, ABI_CONTROL_DEAF);
        give_signal_back();
        return;
    }
    atomic_store_explicit(&recorder->header->request, last_request, memory_order_relaxed);
    store_answer(recorder, abi_control_word(abi_control_number(last_request) - is_serving, 0));
    take_signal();
}

void beat_control_end(struct beat_recorder *recorder)
{
    recorder->is_paused = is_pausing;
    if (is_pausing) {
        return;
    }
    if (recorder->header != NULL) {
        store_answer(recorder, ABI_CONTROL_DEAF);
    }
    give_signal_back();
}

void beat_control_forget(struct beat_recorder *recorder)
{
    recorder->is_paused = false;
    give_signal_back();
}

/* ---- What they ask for ---- */

/* The present path of the trace, which may have been renamed. False if absent. Under the lock. */
static bool find_trace(const struct beat_recorder *recorder, char path[BEAT_PATH_SIZE])
{
    char link[32];

    if (!beat_memory_has_file(recorder->memory)) {
        return false;
    }
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", recorder->memory->fd);
    ssize_t size = readlink(link, path, BEAT_PATH_SIZE);
    if (size <= 0 || size == BEAT_PATH_SIZE) {
        return false;
    }
    path[size] = '\0';
    abi_control_trim(path);
    return true;
}

static enum abi_control_outcome dump_trace(uint64_t number)
{
    char trace[BEAT_PATH_SIZE];
    char path[BEAT_PATH_SIZE];
    struct beat_recorder *recorder = beat_lock();
    bool is_named =
        find_trace(recorder, trace) &&
        abi_control_dump_path(path, sizeof(path), trace, recorder->header->process_id, number);

    beat_unlock(recorder);
    return is_named && get_actions()->dump(path) ? ABI_CONTROL_DONE : ABI_CONTROL_FAILED;
}

/* Is a session open? */
static bool set_pausing(bool value)
{
    struct beat_recorder *recorder = beat_lock();
    bool is_open = beat_is_open(beat_present(recorder));

    is_pausing = value;
    beat_unlock(recorder);
    return is_open;
}

static enum abi_control_outcome stop_session(void)
{
    bool was_open = set_pausing(true);

    get_actions()->stop();
    (void)set_pausing(false);
    return was_open ? ABI_CONTROL_DONE : ABI_CONTROL_WAS_SO;
}

/* For free(). */
static char *copy_mapping_path(const struct abi_trace_header *header)
{
    uint64_t size = atomic_load_explicit(&header->mapping_path, memory_order_relaxed) & UINT32_MAX;

    return size > 0 ? strndup((const char *)header + ABI_TRACE_MAPPING_OFFSET, (size_t)size) : NULL;
}

/* Start a session like the last one, in a new file of the same name. */
static enum abi_control_outcome start_session(void)
{
    char trace[BEAT_PATH_SIZE];
    char name[ABI_TRACE_NAME_SIZE];
    struct beat_recorder *recorder = beat_lock();
    struct beat_options options = recorder->options;
    bool is_open = beat_is_open(beat_present(recorder));

    options.file = find_trace(recorder, trace) ? trace : NULL;
    memcpy(name, recorder->header->process_name, sizeof(name));
    options.process_name = name;
    char *throttle = copy_text(last_throttle);
    char *never_mute = copy_text(last_never_mute);
    options.throttle = throttle;
    options.never_mute = never_mute;
    char *mapping_path = copy_mapping_path(recorder->header);
    options.mapping_path = mapping_path;
    options.mapping_hash =
        atomic_load_explicit(&recorder->header->mapping_hash, memory_order_relaxed);
    beat_unlock(recorder);
    enum abi_control_outcome outcome = is_open                          ? ABI_CONTROL_WAS_SO
                                       : get_actions()->start(&options) ? ABI_CONTROL_DONE
                                                                        : ABI_CONTROL_FAILED;
    free(throttle);
    free(never_mute);
    free(mapping_path);
    return outcome;
}

static enum abi_control_outcome serve_request(uint64_t request)
{
    switch (abi_control_detail(request)) {
    case ABI_CONTROL_DUMP:
        return dump_trace(abi_control_number(request));
    case ABI_CONTROL_STOP:
        return stop_session();
    case ABI_CONTROL_START:
        return start_session();
    case ABI_CONTROL_RESET:
        (void)stop_session();
        return start_session();
    default:
        return ABI_CONTROL_UNKNOWN;
    }
}

static void begin_serving(uint64_t request)
{
    struct beat_recorder *recorder = beat_lock();

    last_request = request;
    is_serving = true;
    beat_unlock(recorder);
}

/* Answers in the present header, which may be that of a newer session. */
static void end_serving(uint64_t request, enum abi_control_outcome outcome)
{
    struct beat_recorder *recorder = beat_lock();

    is_serving = false;
    if (beat_control_listens(recorder)) {
        store_answer(recorder, abi_control_word(abi_control_number(request), outcome));
    }
    beat_unlock(recorder);
}

void beat_control_serve(struct abi_trace_header *header)
{
    uint64_t number;

    if (atomic_load_explicit(&wants_dump, memory_order_relaxed) &&
        abi_control_ask(header, ABI_CONTROL_DUMP, &number)) {
        atomic_store_explicit(&wants_dump, false, memory_order_relaxed);
    }
    /* Acquire: pairs with the release in abi_control_ask. */
    uint64_t request = atomic_load_explicit(&header->request, memory_order_acquire);
    uint64_t answered = atomic_load_explicit(&header->answered, memory_order_relaxed);
    if (answered != ABI_CONTROL_DEAF &&
        abi_control_number(request) > abi_control_number(answered)) {
        begin_serving(request);
        end_serving(request, serve_request(request));
    }
}
