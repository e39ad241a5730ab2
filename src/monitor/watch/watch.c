/* Starts and stops the monitors, from any thread. */

#include "base/clock.h"
#include "base/helpers.h"
#include "monitor/watch/bell.h"
#include "monitor/watch/clock.h"
#include "monitor/watch/inbox.h"
#include "monitor/watch/listeners.h"
#include "monitor/watch/log.h"
#include "monitor/watch/loops.h"
#include "monitor/watch/methodbeat_watch.h"
#include "monitor/watch/watcher.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum phase {
    OFF,
    RUNS,
    ENDS, /* asked to stop */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t is_off;
    enum phase phase; /* this and all fields below: under the lock */
    bool knows_forks;
    struct watch_host host;
    struct watch_watcher *watcher; /* while it runs */
    bool is_foreground;
    char scene[WATCH_TEXT_SIZE];
    struct watch_counters before;  /* of earlier watchers */
    struct watch_counters present; /* of the present watcher */
    _Atomic(bool) stop;
} state = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .is_off = PTHREAD_COND_INITIALIZER,
    .is_foreground = true,
};

/* ---- Counters ---- */

static void take_counters(const struct watch_counters *counters)
{
    (void)pthread_mutex_lock(&state.lock);
    state.present = *counters;
    (void)pthread_mutex_unlock(&state.lock);
}

static void add_counters(struct watch_counters *sum, const struct watch_counters *part)
{
    sum->looks += part->looks;
    sum->names_left_out += part->names_left_out;
    sum->answers_left_out += part->answers_left_out;
    sum->frames_left_out += part->frames_left_out;
    sum->starts_broken_off += part->starts_broken_off;
    sum->starts_unseen += part->starts_unseen;
    sum->starts_odd += part->starts_odd;
    sum->debugged += part->debugged;
    sum->pings += part->pings;
    sum->pings_moot += part->pings_moot;
    sum->stale_stacks += part->stale_stacks;
    sum->gap_ns += part->gap_ns;
    sum->latest_ns = part->latest_ns > sum->latest_ns ? part->latest_ns : sum->latest_ns;
}

void watch_read_counters(struct watch_counters *counters)
{
    (void)pthread_mutex_lock(&state.lock);
    *counters = state.before;
    add_counters(counters, &state.present);
    (void)pthread_mutex_unlock(&state.lock);
    counters->issues = watch_listeners_count();
    counters->news_left_out = watch_inbox_dropped();
    watch_loops_count(counters);
}

/* ---- The thread ---- */

/* The argument of the thread, which frees it. */
struct start {
    struct watch_watcher *watcher;
    struct watch_orders orders;
};

static void *run_watcher(void *memory)
{
    struct start *start = memory;

    (void)pthread_setname_np(pthread_self(), "methodbeat-wtch");
    watch_watcher_run(start->watcher, &start->orders);
    (void)pthread_mutex_lock(&state.lock);
    state.watcher = NULL;
    (void)pthread_mutex_unlock(&state.lock);
    watch_watcher_destroy(start->watcher);
    free(start);
    (void)pthread_mutex_lock(&state.lock);
    add_counters(&state.before, &state.present);
    state.present = (struct watch_counters){0};
    state.phase = OFF;
    (void)pthread_cond_broadcast(&state.is_off);
    (void)pthread_mutex_unlock(&state.lock);
    return NULL;
}

/* Under the lock. */
static bool start_thread(void)
{
    struct start *start = calloc(1, sizeof(*start));

    if (start == NULL) {
        watch_log("no monitors: out of memory");
        return false;
    }
    start->orders = (struct watch_orders){
        .options = *watch_settings_get(),
        .host = state.host,
        .stop = &state.stop,
        .count = take_counters,
    };
    start->watcher = watch_watcher_create(&start->orders);
    state.watcher = start->watcher;
    pthread_t thread; /* detached, since it may be stopped from its own listeners */
    int error = start->watcher != NULL ? mb_helper_create(&thread, run_watcher, start) : 0;
    if (error != 0) {
        watch_log("no monitors: no thread: %s", strerror(error));
        watch_watcher_destroy(start->watcher);
    }
    if (error != 0 || state.watcher == NULL) {
        state.watcher = NULL;
        free(start);
        return false;
    }
    return true;
}

/* ---- Forks ---- */

/* In a forked child, which has no watcher: what the parent's watcher had stays the parent's. */
static void forget_parent(void)
{
    (void)pthread_mutex_init(&state.lock, NULL);
    (void)pthread_cond_init(&state.is_off, NULL);
    if (state.watcher != NULL) {
        watch_watcher_forked(state.watcher);
        state.watcher = NULL;
    }
    state.phase = OFF;
    watch_listeners_forget();
    watch_loops_forget();
    watch_inbox_forget();
}

/* ---- The program's side ---- */

/* Under the lock. */
static void put_scene(void)
{
    struct watch_event event = {.at_ns = mb_clock_now_ns(), .kind = MON_SCENE};

    event.scene.is_foreground = state.is_foreground;
    (void)watch_inbox_put(&event, state.scene);
}

bool watch_start(void)
{
    (void)pthread_mutex_lock(&state.lock);
    while (state.phase == ENDS && !watch_listeners_are_calling()) {
        (void)pthread_cond_wait(&state.is_off, &state.lock);
    }
    if (state.phase == OFF) {
        if (!state.knows_forks) {
            state.knows_forks = pthread_atfork(NULL, NULL, forget_parent) == 0;
        }
        watch_clock_init();
        atomic_store(&state.stop, false);
        watch_inbox_open(watch_settings_get());
        put_scene();
        if (start_thread()) {
            state.phase = RUNS;
            state.before.starts++;
            watch_loops_listen(mon_options_slow_ns(watch_settings_get()));
        } else {
            watch_inbox_close();
        }
    }
    bool runs = state.phase == RUNS;
    (void)pthread_mutex_unlock(&state.lock);
    return runs;
}

void watch_stop(void)
{
    (void)pthread_mutex_lock(&state.lock);
    if (state.phase == RUNS) {
        state.phase = ENDS;
        atomic_store(&state.stop, true);
        watch_bell_ring();
    }
    /* Another watcher may start and end meanwhile: this one has ended in any case. */
    uint64_t starts = state.before.starts;
    while (state.phase == ENDS && state.before.starts == starts && !watch_listeners_are_calling()) {
        (void)pthread_cond_wait(&state.is_off, &state.lock);
    }
    (void)pthread_mutex_unlock(&state.lock);
}

bool watch_is_running(void)
{
    (void)pthread_mutex_lock(&state.lock);
    bool runs = state.phase == RUNS;
    (void)pthread_mutex_unlock(&state.lock);
    return runs;
}

/* For the watcher that runs. Under the lock. */
static void put_change(const char *option, const char *value)
{
    const struct watch_event event = {
        .at_ns = mb_clock_now_ns(), .kind = MON_OPTION, .owned = strdup(value)};

    if (event.owned == NULL || !watch_inbox_put(&event, option)) {
        watch_log("monitor setting %s waits for the next start: too many at a time", option);
        free(event.owned);
    }
}

bool watch_set(const char *name, const char *value)
{
    (void)pthread_mutex_lock(&state.lock);
    bool is_set = watch_settings_set(name, value);
    if (is_set && state.phase == RUNS && watch_settings_is_live(name)) {
        put_change(mon_option_name(mon_option_find(name)), value);
    }
    (void)pthread_mutex_unlock(&state.lock);
    return is_set;
}

bool watch_report(const char *detail, const char *key, const char *json)
{
    struct watch_custom *custom = watch_custom_create(detail, key, json);

    if (custom == NULL) {
        return false;
    }
    const struct watch_event event = {.at_ns = custom->at_ns, .kind = MON_REPORT, .owned = custom};
    (void)pthread_mutex_lock(&state.lock);
    bool is_taken = state.phase == RUNS && watch_inbox_put(&event, NULL);
    (void)pthread_mutex_unlock(&state.lock);
    if (!is_taken) {
        free(custom);
    }
    return is_taken;
}

void watch_set_host(const struct watch_host *host)
{
    (void)pthread_mutex_lock(&state.lock);
    state.host = host != NULL ? *host : (struct watch_host){0};
    (void)pthread_mutex_unlock(&state.lock);
}

void watch_scene(const char *name, bool is_foreground)
{
    (void)pthread_mutex_lock(&state.lock);
    (void)snprintf(state.scene, sizeof(state.scene), "%s", name != NULL ? name : "");
    state.is_foreground = is_foreground;
    put_scene();
    (void)pthread_mutex_unlock(&state.lock);
}
