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
static void hear(void *context, const struct watch_issue *issue)
{
    (void)context;
    watch_listeners_tell(issue);
    watch_bell_ring();
}

static void settle_exits(void *context, struct watch_incident incident)
{
    struct watch_watcher *watcher = context;

    watch_exits_settle(&watcher->exits, incident);
}

void watch_open_spool(struct watch_watcher *watcher)
{
    const struct watch_spool_setup setup = {
        .folder = watcher->options.spool,
        .process = watcher->process.name,
        .device = watch_process_device(watcher->options.device),
        .options = &watcher->options,
        .names = &watcher->view,
        .heard = hear,
        .published = settle_exits,
        .context = watcher,
    };
    struct mb_error err = {.status = MB_OK};
    char line[512];

    watcher->spool = watch_spool_open(&setup, &err);
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
        watch_spool_take(watcher->spool, action, mon_current_options(watcher->mon));
    }
    if (action->kind == MON_NOTE) { /* after ours: the system may take its time */
        note(watcher, action->issue);
    }
}

/* ---- What earlier processes left ---- */

/* What the last process of this name could not publish. */
static void feed_previous(struct watch_watcher *watcher)
{
    struct mon_event event = {.kind = MON_PREVIOUS};

    while (watcher->spool != NULL && watch_spool_previous(watcher->spool, &event, watcher->names)) {
        event.at_ns = watcher->now_ns;
        if (event.kind == MON_PREVIOUS) {
            watch_exits_join(&watcher->exits, &event.previous, watcher->names);
        }
        watch_feed(watcher, &event);
        event = (struct mon_event){.kind = MON_PREVIOUS};
    }
}

/* After the stalls whose exits these may be. */
static void feed_exits(struct watch_watcher *watcher)
{
    struct mon_event event;

    if (watcher->spool == NULL || !watch_spool_is_written(watcher->spool)) {
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
    if (!watcher->exits.is_told && watcher->spool != NULL &&
        watch_exits_are_over(&watcher->exits) && watch_spool_is_written(watcher->spool)) {
        tell_host(watcher);
    }
}

void watch_feed_left(struct watch_watcher *watcher)
{
    finish_exits(watcher);
    feed_previous(watcher);
    feed_exits(watcher);
}

/* ---- The end ---- */

void watch_close_spool(struct watch_watcher *watcher)
{
    struct watch_spool *spool = watcher->spool;

    watcher->spool = NULL; /* of no use to a child that is forked now */
    if (spool != NULL && watch_spool_close(spool, LONGEST_CLOSE_MS) && !watcher->exits.is_told &&
        watch_exits_are_over(&watcher->exits)) {
        tell_host(watcher);
    }
}

void watch_watcher_forked(struct watch_watcher *watcher)
{
    if (watcher->spool != NULL) {
        watch_spool_forked(watcher->spool);
    }
}
