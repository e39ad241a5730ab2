#include "recorder/control.h"

#include "abi/control.h"
#include "recorder/memory.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Relaxed: it is a constant, and set before the recorder listens. */
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

/* Number of the last request of any session: dumps are named after it. Relaxed: the keeper's thread
 * counts. */
static _Atomic(uint64_t) last_number;

static bool has_channel(const struct beat_recorder *recorder)
{
    return recorder->options->control == BEAT_ON && recorder->memory != NULL &&
           recorder->memory->fd >= 0;
}

bool beat_control_listens(const struct beat_recorder *recorder)
{
    return has_channel(recorder) && beat_is_open(beat_present(recorder));
}

static void store_answer(struct beat_recorder *recorder, uint64_t word)
{
    /* Release: pairs with the acquire of the asking process. */
    atomic_store_explicit(&recorder->header->answered, word, memory_order_release);
}

void beat_control_begin(struct beat_recorder *recorder, const struct beat_control_actions *actions)
{
    uint64_t word = abi_control_word(atomic_load_explicit(&last_number, memory_order_relaxed), 0);

    atomic_store_explicit(&known_actions, actions, memory_order_relaxed);
    if (!has_channel(recorder)) {
        store_answer(recorder, ABI_CONTROL_DEAF);
        give_signal_back();
        return;
    }
    atomic_store_explicit(&recorder->header->request, word, memory_order_relaxed);
    store_answer(recorder, word);
    take_signal();
}

void beat_control_end(struct beat_recorder *recorder)
{
    if (recorder->header != NULL) {
        store_answer(recorder, ABI_CONTROL_DEAF);
    }
    give_signal_back();
}

void beat_control_forget(void)
{
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

static enum abi_control_outcome serve_request(uint64_t request)
{
    switch (abi_control_detail(request)) {
    case ABI_CONTROL_DUMP:
        return dump_trace(abi_control_number(request));
    case ABI_CONTROL_STOP:
        get_actions()->stop();
        return ABI_CONTROL_DONE;
    default:
        return ABI_CONTROL_UNKNOWN;
    }
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
    number = abi_control_number(request);
    if (answered == ABI_CONTROL_DEAF || number <= abi_control_number(answered)) {
        return;
    }
    atomic_store_explicit(&last_number, number, memory_order_relaxed);
    /* Release: pairs with the acquire of the asking process. A session that ended stays deaf. */
    (void)atomic_compare_exchange_strong_explicit(&header->answered, &answered,
                                                  abi_control_word(number, serve_request(request)),
                                                  memory_order_release, memory_order_relaxed);
}
