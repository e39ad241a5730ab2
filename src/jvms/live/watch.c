#include "jvms/live/watch.h"

#include <stdlib.h>

struct live_watch {
    struct answer_source source; /* borrowed */
    void (*renew)(void *context);
    void *context;
    struct live_trace live;
    struct live_snapshot snapshots[3];
    struct live_snapshot *from;   /* of these: the older one, */
    struct live_snapshot *to;     /* the newest one, */
    struct live_snapshot *next;   /* and one to be taken */
    struct live_recent recent;    /* between the first two */
    const struct live_sort *sort; /* of its methods */
    bool has_table;               /* recent tells of something */
    struct live_news news;
};

const struct live_sort live_sorts[] = {
    [LIVE_BY_WORK] = {'b', "work", LIVE_BY_WORK},
    [LIVE_BY_OWN] = {'o', "own", LIVE_BY_OWN},
    [LIVE_BY_WAITED] = {'w', "waits", LIVE_BY_WAITED},
    [LIVE_BY_TOTAL] = {'t', "total", LIVE_BY_TOTAL},
    [LIVE_BY_CALLS] = {'c', "calls", LIVE_BY_CALLS},
    [LIVE_BY_MEAN] = {'m', "mean", LIVE_BY_MEAN},
    [LIVE_BY_THREADS] = {'n', "threads", LIVE_BY_THREADS},
};
const size_t live_sort_count = MB_COUNT(live_sorts);

bool live_watch_is_over(const struct live_watch *watch)
{
    enum live_state state = watch->to->state;

    return state == LIVE_ENDED || state == LIVE_LEFT;
}

/* Has a method that made calls no name yet? */
static bool lacks_names(const struct live_watch *watch)
{
    const struct live_method *rows = watch->recent.methods.items;
    const struct answer_names names = answer_map_names(&watch->live.trace.names);
    bool lacks = false;

    for (size_t i = 0; !lacks && i < MB_VEC_COUNT(&watch->recent.methods); i++) {
        lacks = names.find(names.context, rows[i].id).size == 0;
    }
    return lacks;
}

/* What is known of a thread that waits for work is a lower bound: none of it is work. */
static void leave_out_idle(struct live_watch *watch)
{
    struct live_method *rows = watch->recent.methods.items;
    const struct answer_names names = answer_map_names(&watch->live.trace.names);

    for (size_t i = 0; i < MB_VEC_COUNT(&watch->recent.methods); i++) {
        if (answer_waits_for_work(&names, rows[i].id)) {
            rows[i].waited_ns = rows[i].own_ns - rows[i].ready_ns;
        }
    }
}

static enum mb_status compare(struct live_watch *watch, struct mb_error *err)
{
    MB_TRY(live_recent_find(&watch->recent, watch->from, watch->to, err));
    leave_out_idle(watch);
    MB_TRY(live_explain_kinds(&watch->recent, watch->from, watch->to,
                              answer_map_names(&watch->live.trace.names), err));
    live_recent_sort(&watch->recent, watch->sort->order);
    watch->has_table = watch->recent.interval_ns > 0;
    watch->news.is_new_table = watch->has_table;
    return lacks_names(watch) ? live_trace_renew_names(&watch->live, err) : MB_OK;
}

static enum mb_status compare_again(struct live_watch *watch, struct mb_error *err)
{
    return watch->has_table ? compare(watch, err) : MB_OK;
}

enum mb_status live_watch_sort(struct live_watch *watch, const struct live_sort *sort,
                               struct mb_error *err)
{
    watch->sort = sort;
    return compare_again(watch, err);
}

enum mb_status live_watch_focus(struct live_watch *watch, uint32_t id, struct mb_error *err)
{
    watch->recent.focus = id;
    return compare_again(watch, err);
}

enum mb_status live_watch_restart(struct live_watch *watch, struct mb_error *err)
{
    watch->has_table = false;
    watch->news.is_new_table = false;
    return live_trace_take(&watch->live, watch->to, err);
}

static enum mb_status open_trace(struct live_watch *watch, struct mb_error *err)
{
    MB_TRY(live_trace_open(&watch->live, &watch->source, err));
    MB_TRY(live_watch_restart(watch, err));
    if (live_watch_is_over(watch)) {
        live_snapshot_finish(watch->from);
        return compare(watch, err);
    }
    return MB_OK;
}

enum mb_status live_watch_open(struct live_watch **watch, const struct live_watch_wish *wish,
                               struct mb_error *err)
{
    *watch = malloc(sizeof(**watch));
    if (*watch == NULL) {
        return mb_fail_memory(err);
    }
    **watch = (struct live_watch){.source = *wish->source,
                                  .renew = wish->renew,
                                  .context = wish->context,
                                  .live.fd = -1,
                                  .sort = wish->sort,
                                  .recent.focus = LIVE_NO_METHOD};
    (*watch)->from = &(*watch)->snapshots[0];
    (*watch)->to = &(*watch)->snapshots[1];
    (*watch)->next = &(*watch)->snapshots[2];
    return open_trace(*watch, err);
}

/* No time has passed since the newest snapshot: it stays, with its table. */
static void stand_still(struct live_watch *watch)
{
    enum live_state state = watch->next->state;

    watch->news.is_new_table = watch->recent.state != state;
    watch->to->state = state;
    watch->recent.state = state;
}

static void move_on(struct live_watch *watch)
{
    struct live_snapshot *oldest = watch->from;

    watch->from = watch->to;
    watch->to = watch->next;
    watch->next = oldest;
}

enum mb_status live_watch_step(struct live_watch *watch, struct mb_error *err)
{
    if (watch->renew != NULL) {
        watch->renew(watch->context);
    }
    watch->news.is_new_recording = live_trace_is_replaced(&watch->live);
    if (watch->news.is_new_recording) {
        live_trace_finish(&watch->live);
        return open_trace(watch, err);
    }
    MB_TRY(live_trace_take(&watch->live, watch->next, err));
    if (watch->next->time <= watch->to->time && watch->has_table) {
        stand_still(watch);
        return MB_OK;
    }
    move_on(watch);
    return compare(watch, err);
}

struct live_news live_watch_news(const struct live_watch *watch)
{
    return watch->news;
}

struct live_facts live_watch_facts(const struct live_watch *watch)
{
    const struct abi_trace_header *header = &watch->live.trace.file.header;

    return (struct live_facts){
        .recent = watch->has_table ? &watch->recent : NULL,
        .names = answer_map_names(&watch->live.trace.names),
        .process = mb_text_of(header->process_name),
        .process_id = header->process_id,
        .order = watch->sort->name,
    };
}

void live_watch_finish(struct live_watch *watch)
{
    if (watch == NULL) {
        return;
    }
    live_recent_finish(&watch->recent);
    for (size_t i = 0; i < MB_COUNT(watch->snapshots); i++) {
        live_snapshot_finish(&watch->snapshots[i]);
    }
    live_trace_finish(&watch->live);
    free(watch);
}
