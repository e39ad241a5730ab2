/* Passes issues from the watcher to its spool, and exits of earlier processes to the rules. */

#include "base/clock.h"
#include "monitor/watch/bell.h"
#include "monitor/watch/listeners.h"
#include "monitor/watch/log.h"
#include "monitor/watch/watcher.h"

#include <inttypes.h>
#include <stdio.h>

#define LONGEST_CLOSE_MS 2000

/* On the writer's thread. Wakes the watcher, which may wait for this. */
static void notify_listeners(void *context, const struct spool_notice *told)
{
    const struct watch_issue issue = {.detail = told->detail,
                                      .ended = told->ended,
                                      .loop = told->loop,
                                      .cost_ns = told->cost_ns,
                                      .key = told->key,
                                      .json = told->json,
                                      .json_size = told->json_size,
                                      .file = told->file,
                                      .is_reported = told->is_reported};

    (void)context;
    watch_listeners_notify(&issue);
    watch_bell_ring();
}

/* The stall was open when its process died: the system may know why. */
static void join_exit(void *context, const struct spool_head *stall, struct mb_buf *issue)
{
    struct watch_watcher *watcher = context;

    watch_exits_join(&watcher->exits, stall, issue);
}

static void drop_published_exit(void *context, struct spool_incident incident)
{
    struct watch_watcher *watcher = context;

    watch_exits_drop_published(&watcher->exits, incident);
}

void watch_open_spool(struct watch_watcher *watcher)
{
    const struct spool_setup setup = {
        .folder = watcher->options.spool,
        .process = watcher->process.name,
        .device = watch_process_device(watcher->options.app),
        .options = &watcher->options,
        .names = &watcher->view,
        .notify = notify_listeners,
        .published = drop_published_exit,
        .killed = join_exit,
        .context = watcher,
    };
    struct mb_error err = {.status = MB_OK};
    char line[512];

    watcher->spool = spool_open(&setup, &err);
    if (err.status != MB_OK || watcher->spool == NULL) {
        watch_log("no files of issues: %s", watcher->spool != NULL
                                                ? mb_error_format(&err, line, sizeof(line))
                                                : "out of memory, and listeners are not called");
    }
}

/* The system stores the incident, and returns it with the exit of this process. */
static void note_with_host(struct watch_watcher *watcher, const struct mon_issue *issue)
{
    const struct watch_host *host = &watcher->host;
    char incident[32];

    if (!watcher->has_host || host->note == NULL || issue->span.loop != 0 ||
        issue->report != NULL || issue->span.number == watcher->noted) {
        return;
    }
    int64_t start = mb_clock_now_ns();
    watcher->noted = issue->span.number;
    (void)snprintf(incident, sizeof(incident), "%" PRIx64 "-%" PRIu32, issue->start,
                   issue->span.number);
    host->note(host->context, incident);
    watcher->blocked_ns += mb_clock_now_ns() - start;
}

void watch_send_issue(struct watch_watcher *watcher, const struct mon_action *action)
{
    if (action->kind == MON_ISSUE || action->kind == MON_NOTE) {
        watch_mark(watcher, action->issue);
    }
    if (watcher->spool != NULL) {
        spool_take(watcher->spool, action, mon_current_options(watcher->mon));
    }
    if (action->kind == MON_NOTE) { /* last: the system may be slow */
        note_with_host(watcher, action->issue);
    }
}

/* ---- Exits of earlier processes ---- */

/* Wait until the stalls that these may belong to are published. */
static void feed_exits(struct watch_watcher *watcher)
{
    struct mon_event event;

    if (watcher->spool == NULL || !spool_is_written(watcher->spool)) {
        return;
    }
    for (uint32_t i = 0;
         i < WATCH_EXITS_AT_A_TIME && watch_exits_take(&watcher->exits, &event, watcher->names);
         i++) {
        event.at_ns = watcher->now_ns;
        watch_feed(watcher, &event);
    }
}

/* Once, when all exits are over. */
static void notify_host(struct watch_watcher *watcher)
{
    int64_t start = mb_clock_now_ns();

    watcher->exits.host_knows = true;
    if (watcher->has_host && watcher->host.exits_told != NULL) {
        watcher->host.exits_told(watcher->host.context);
    }
    watcher->blocked_ns += mb_clock_now_ns() - start;
}

/* Called before more exits are fed, since their issues come after the tick. */
static void finish_exits(struct watch_watcher *watcher)
{
    if (!watcher->exits.host_knows && watcher->spool != NULL && spool_is_written(watcher->spool) &&
        watch_exits_are_over(&watcher->exits)) {
        notify_host(watcher);
    }
}

void watch_feed_exits(struct watch_watcher *watcher)
{
    if (watcher->spool != NULL) {
        spool_write(watcher->spool);
    }
    finish_exits(watcher);
    feed_exits(watcher);
}

/* ---- The end ---- */

void watch_close_spool(struct watch_watcher *watcher)
{
    struct spool *spool = watcher->spool;

    watcher->spool = NULL; /* a child forked from now on must not use it */
    if (spool != NULL && spool_close(spool, LONGEST_CLOSE_MS) && !watcher->exits.host_knows &&
        watch_exits_are_over(&watcher->exits)) {
        notify_host(watcher);
    }
}

void watch_watcher_forked(struct watch_watcher *watcher)
{
    if (watcher->spool != NULL) {
        spool_forked(watcher->spool);
    }
}
