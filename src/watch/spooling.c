/* Between the watcher and its spool: issues on their way there, and what earlier processes left. */

#include "watch/bell.h"
#include "watch/clock.h"
#include "watch/listeners.h"
#include "watch/say.h"
#include "watch/watcher.h"

#include <inttypes.h>
#include <stdio.h>

#define LONGEST_CLOSE_MS 2000

/* On the spool's thread. The watcher may have waited for it. */
static void hear(void *context, const struct spool_told *told)
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
    watch_listeners_tell(&issue);
    watch_bell_ring();
}

/* That stall was open when its process died: the system may know why. */
static void join_exit(void *context, const struct spool_head *stall, struct mb_buf *issue)
{
    struct watch_watcher *watcher = context;

    watch_exits_join(&watcher->exits, stall, issue);
}

static void settle_exits(void *context, struct spool_incident incident)
{
    struct watch_watcher *watcher = context;

    watch_exits_settle(&watcher->exits, incident);
}

void watch_open_spool(struct watch_watcher *watcher)
{
    const struct spool_setup setup = {
        .folder = watcher->options.spool,
        .process = watcher->process.name,
        .device = watch_process_device(watcher->options.device),
        .options = &watcher->options,
        .names = &watcher->view,
        .heard = hear,
        .published = settle_exits,
        .killed = join_exit,
        .context = watcher,
    };
    struct mb_error err = {.status = MB_OK};
    char line[512];

    watcher->spool = spool_open(&setup, &err);
    if (err.status != MB_OK || watcher->spool == NULL) {
        watch_say("no files of issues: %s", watcher->spool != NULL
                                                ? mb_error_format(&err, line, sizeof(line))
                                                : "out of memory, and nobody hears of them");
    }
}

/* The system keeps it, and gives it back with the exit. */
static void note(struct watch_watcher *watcher, const struct mon_issue *issue)
{
    const struct watch_host *host = &watcher->host;
    char incident[32];

    if (!watcher->has_host || host->note == NULL || issue->loop != 0 || issue->own != NULL ||
        issue->number == watcher->noted) {
        return;
    }
    int64_t start = watch_clock_now_ns();
    watcher->noted = issue->number;
    (void)snprintf(incident, sizeof(incident), "%" PRIx64 "-%" PRIu32, issue->start, issue->number);
    host->note(host->context, incident);
    watcher->blocked_ns += watch_clock_now_ns() - start;
}

void watch_hand_over(struct watch_watcher *watcher, const struct mon_action *action)
{
    if (action->kind == MON_ISSUE || action->kind == MON_NOTE) {
        watch_mark(watcher, action->issue);
    }
    if (watcher->spool != NULL) {
        spool_take(watcher->spool, action, mon_current_options(watcher->mon));
    }
    if (action->kind == MON_NOTE) { /* after ours: the system may take its time */
        note(watcher, action->issue);
    }
}

/* ---- What earlier processes left ---- */

/* After the stalls whose exits these may be. */
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

/* Once, when all are. */
static void tell_host(struct watch_watcher *watcher)
{
    int64_t start = watch_clock_now_ns();

    watcher->exits.is_told = true;
    if (watcher->has_host && watcher->host.exits_told != NULL) {
        watcher->host.exits_told(watcher->host.context);
    }
    watcher->blocked_ns += watch_clock_now_ns() - start;
}

/* Before more are fed: of these there are issues only after the tick. */
static void finish_exits(struct watch_watcher *watcher)
{
    if (!watcher->exits.is_told && watcher->spool != NULL && spool_is_written(watcher->spool) &&
        watch_exits_are_over(&watcher->exits)) {
        tell_host(watcher);
    }
}

void watch_feed_left(struct watch_watcher *watcher)
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

    watcher->spool = NULL; /* of no use to a child that is forked now */
    if (spool != NULL && spool_close(spool, LONGEST_CLOSE_MS) && !watcher->exits.is_told &&
        watch_exits_are_over(&watcher->exits)) {
        tell_host(watcher);
    }
}

void watch_watcher_forked(struct watch_watcher *watcher)
{
    if (watcher->spool != NULL) {
        spool_forked(watcher->spool);
    }
}
