/* The life of the monitors: who starts and stops them, from whatever thread. */

#include "base/helpers.h"
#include "watch/bell.h"
#include "watch/clock.h"
#include "watch/listeners.h"
#include "watch/loops.h"
#include "watch/methodbeat_watch.h"
#include "watch/news.h"
#include "watch/say.h"
#include "watch/settings.h"
#include "watch/watcher.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANGE_COUNT 32u

enum phase {
    OFF,
    RUNS,
    ENDS, /* asked to stop */
};

struct change {
    char name[64];
    char value[512];
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t is_off;
    enum phase phase; /* and all that follows, under the lock */
    bool knows_forks;
    struct watch_host host;
    struct watch_watcher *watcher; /* that runs */
    bool has_scene;                /* not taken by the watcher yet */
    bool is_foreground;
    char scene[WATCH_TEXT_SIZE];
    uint32_t change_count;
    struct change changes[CHANGE_COUNT];
    struct watch_owns owns;        /* told while it runs */
    struct watch_counters before;  /* of the watchers that have ended */
    struct watch_counters present; /* of the one that runs */
    _Atomic(bool) stop;
} state = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .is_off = PTHREAD_COND_INITIALIZER,
    .is_foreground = true,
};

/* ---- What the watcher takes and tells ---- */

static bool take_told(struct watch_told *told)
{
    *told = (struct watch_told){.has_scene = false};
    (void)pthread_mutex_lock(&state.lock);
    if (state.has_scene) {
        told->has_scene = true;
        told->is_foreground = state.is_foreground;
        memcpy(told->scene, state.scene, sizeof(told->scene));
        state.has_scene = false;
    } else if (state.change_count > 0) {
        told->has_options = true;
        memcpy(told->option, state.changes[0].name, sizeof(told->option));
        memcpy(told->value, state.changes[0].value, sizeof(told->value));
        state.change_count--;
        memmove(&state.changes[0], &state.changes[1],
                state.change_count * sizeof(state.changes[0]));
    } else {
        told->own = watch_owns_take(&state.owns);
    }
    (void)pthread_mutex_unlock(&state.lock);
    return told->has_scene || told->has_options || told->own != NULL;
}

static void take_counters(const struct watch_counters *counters)
{
    (void)pthread_mutex_lock(&state.lock);
    state.present = *counters;
    (void)pthread_mutex_unlock(&state.lock);
}

/* ---- Counters ---- */

static void add(struct watch_counters *sum, const struct watch_counters *part)
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
    add(counters, &state.present);
    (void)pthread_mutex_unlock(&state.lock);
    counters->issues = watch_listeners_count();
    counters->news_left_out = watch_news_left_out();
    watch_loops_count(counters);
}

/* ---- The thread ---- */

/* What the thread begins with; it frees it. */
struct start {
    struct watch_watcher *watcher;
    struct watch_orders orders;
};

static void *run(void *memory)
{
    struct start *start = memory;

    mb_helper_begin();
    (void)pthread_setname_np(pthread_self(), "methodbeat-wtch");
    watch_watcher_run(start->watcher, &start->orders);
    (void)pthread_mutex_lock(&state.lock);
    state.watcher = NULL;
    (void)pthread_mutex_unlock(&state.lock);
    watch_watcher_destroy(start->watcher);
    free(start);
    (void)pthread_mutex_lock(&state.lock);
    add(&state.before, &state.present);
    state.present = (struct watch_counters){0};
    state.phase = OFF;
    (void)pthread_cond_broadcast(&state.is_off);
    (void)pthread_mutex_unlock(&state.lock);
    mb_helper_end();
    return NULL;
}

/* Under the lock. */
static bool begin(void)
{
    struct start *start = calloc(1, sizeof(*start));

    if (start == NULL) {
        watch_say("no monitors: out of memory");
        return false;
    }
    start->orders = (struct watch_orders){
        .options = *watch_settings_get(),
        .host = state.host,
        .stop = &state.stop,
        .take = take_told,
        .count = take_counters,
    };
    start->watcher = watch_watcher_create(&start->orders);
    state.watcher = start->watcher;
    pthread_t thread; /* detached, since it may be stopped from its own listeners */
    int error = start->watcher != NULL ? mb_helper_create(&thread, run, start) : 0;
    if (error != 0) {
        watch_say("no monitors: no thread: %s", strerror(error));
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

/* In the child: its one thread goes on without us. What the watcher had is lost to it. */
static void forget(void)
{
    (void)pthread_mutex_init(&state.lock, NULL);
    (void)pthread_cond_init(&state.is_off, NULL);
    if (state.watcher != NULL) {
        watch_watcher_forked(state.watcher);
        state.watcher = NULL;
    }
    state.phase = OFF;
    state.change_count = 0;
    state.owns = (struct watch_owns){0}; /* the parent's */
    watch_listeners_forget();
    watch_loops_forget();
    watch_news_forget();
}

/* ---- The program's side ---- */

bool watch_start(void)
{
    (void)pthread_mutex_lock(&state.lock);
    while (state.phase == ENDS && !watch_listeners_are_calling()) {
        (void)pthread_cond_wait(&state.is_off, &state.lock);
    }
    if (state.phase == OFF) {
        if (!state.knows_forks) {
            state.knows_forks = pthread_atfork(NULL, NULL, forget) == 0;
        }
        watch_clock_init();
        atomic_store(&state.stop, false);
        state.has_scene = true;
        state.change_count = 0;
        watch_news_begin(watch_settings_get());
        if (begin()) {
            state.phase = RUNS;
            state.before.starts++;
            watch_loops_listen(mon_options_slow_ns(watch_settings_get()));
        } else {
            watch_news_end();
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
    /* Another one may have begun and ended meanwhile: this one is over in any case. */
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
static void add_change(const char *option, const char *value)
{
    if (state.change_count == CHANGE_COUNT) {
        watch_say("monitor setting %s waits for the next start: too many at a time", option);
        return;
    }
    struct change *change = &state.changes[state.change_count++];
    (void)snprintf(change->name, sizeof(change->name), "%s", option);
    (void)snprintf(change->value, sizeof(change->value), "%s", value);
    watch_bell_ring();
}

bool watch_set(const char *name, const char *value)
{
    (void)pthread_mutex_lock(&state.lock);
    bool is_set = watch_settings_set(name, value);
    if (is_set && state.phase == RUNS && watch_settings_is_live(name)) {
        add_change(mon_option_name(mon_option_find(name)), value);
    }
    (void)pthread_mutex_unlock(&state.lock);
    return is_set;
}

bool watch_tell(const char *detail, const char *key, const char *json)
{
    struct watch_own *own = watch_own_create(detail, key, json);

    if (own == NULL) {
        return false;
    }
    (void)pthread_mutex_lock(&state.lock);
    bool is_told = state.phase == RUNS && watch_owns_put(&state.owns, own);
    if (is_told) {
        watch_bell_ring();
    }
    (void)pthread_mutex_unlock(&state.lock);
    if (!is_told) {
        free(own);
    }
    return is_told;
}

void watch_set_host(const struct watch_host *host)
{
    (void)pthread_mutex_lock(&state.lock);
    state.host = host != NULL ? *host : (struct watch_host){0};
    (void)pthread_mutex_unlock(&state.lock);
}

void watch_scene(const char *name, bool is_foreground)
{
    struct watch_news news = {.at_ns = watch_clock_now_ns(), .kind = MON_SCENE};

    (void)pthread_mutex_lock(&state.lock);
    (void)snprintf(state.scene, sizeof(state.scene), "%s", name != NULL ? name : "");
    state.is_foreground = is_foreground;
    news.scene.is_foreground = is_foreground;
    watch_news_add(&news, name);
    (void)pthread_mutex_unlock(&state.lock);
}
