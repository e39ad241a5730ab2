#include "live/watch.h"

const struct top_order cli_top_orders[] = {
    {'b', "work", ANSWER_RECENT_WORK},       {'o', "own", ANSWER_RECENT_OWN},
    {'w', "waits", ANSWER_RECENT_WAITED},    {'t', "total", ANSWER_RECENT_TOTAL},
    {'c', "calls", ANSWER_RECENT_CALLS},     {'m', "mean", ANSWER_RECENT_MEAN},
    {'n', "threads", ANSWER_RECENT_THREADS},
};
const size_t cli_top_order_count = MB_COUNT(cli_top_orders);

static const struct answer_look *newest_of(const struct top_watch *watch)
{
    return &watch->looks[watch->newest];
}

bool cli_top_is_over(const struct top_watch *watch)
{
    enum answer_live_state state = newest_of(watch)->state;

    return state == ANSWER_LIVE_ENDED || state == ANSWER_LIVE_LEFT;
}

/* Has a method that made calls no name yet? */
static bool lacks_names(const struct top_watch *watch)
{
    const struct answer_recent_method *rows = (const void *)watch->recent.methods.bytes;
    const struct answer_names names = answer_map_names(&watch->live.trace.names);
    bool lacks = false;

    for (size_t i = 0; !lacks && i < watch->recent.methods.size / sizeof(*rows); i++) {
        lacks = names.find(names.context, rows[i].id).size == 0;
    }
    return lacks;
}

static enum mb_status compare(struct top_watch *watch, const struct answer_look *from,
                              struct mb_error *err)
{
    MB_TRY(answer_recent_find(&watch->recent, from, newest_of(watch), err));
    answer_recent_sort(&watch->recent, watch->order->order);
    watch->has_table = watch->recent.interval_ns > 0;
    watch->has_news = watch->has_table;
    return lacks_names(watch) ? answer_live_renew_names(&watch->live, err) : MB_OK;
}

enum mb_status cli_top_compare(struct top_watch *watch, struct mb_error *err)
{
    return watch->has_table ? compare(watch, &watch->looks[1 - watch->newest], err) : MB_OK;
}

enum mb_status cli_top_restart(struct top_watch *watch, struct mb_error *err)
{
    watch->has_table = false;
    watch->has_news = false;
    return answer_live_look(&watch->live, &watch->looks[watch->newest], err);
}

static enum mb_status open_trace(struct top_watch *watch, struct mb_error *err)
{
    MB_TRY(answer_live_open(&watch->live, &watch->source, err));
    MB_TRY(cli_top_restart(watch, err));
    if (cli_top_is_over(watch)) {
        answer_look_finish(&watch->looks[1 - watch->newest]);
        return compare(watch, &watch->looks[1 - watch->newest], err);
    }
    return MB_OK;
}

enum mb_status cli_top_begin(struct top_watch *watch, const struct top_watch_wish *wish,
                             struct mb_error *err)
{
    *watch = (struct top_watch){.source = *wish->source,
                                .renew = wish->renew,
                                .context = wish->context,
                                .live.fd = -1,
                                .order = wish->order};
    watch->recent.focus = ANSWER_NO_METHOD;
    return open_trace(watch, err);
}

/* No time has passed since the look before: it stays, with its table. */
static void stand_still(struct top_watch *watch)
{
    enum answer_live_state state = newest_of(watch)->state;

    watch->newest = 1 - watch->newest;
    watch->has_news = watch->recent.state != state;
    watch->looks[watch->newest].state = state;
    watch->recent.state = state;
}

enum mb_status cli_top_step(struct top_watch *watch, struct mb_error *err)
{
    if (watch->renew != NULL) {
        watch->renew(watch->context);
    }
    watch->is_new = answer_live_is_replaced(&watch->live);
    if (watch->is_new) {
        answer_live_finish(&watch->live);
        return open_trace(watch, err);
    }
    const struct answer_look *before = newest_of(watch);
    watch->newest = 1 - watch->newest;
    MB_TRY(answer_live_look(&watch->live, &watch->looks[watch->newest], err));
    if (newest_of(watch)->time <= before->time && watch->has_table) {
        stand_still(watch);
        return MB_OK;
    }
    return compare(watch, &watch->looks[1 - watch->newest], err);
}

struct format_live cli_top_facts(const struct top_watch *watch)
{
    const struct abi_trace_header *header = &watch->live.trace.file.header;

    return (struct format_live){
        .recent = &watch->recent,
        .names = answer_map_names(&watch->live.trace.names),
        .process = mb_text_of(header->process_name),
        .process_id = header->process_id,
        .order = watch->order->name,
    };
}

void cli_top_finish(struct top_watch *watch)
{
    answer_recent_finish(&watch->recent);
    answer_look_finish(&watch->looks[0]);
    answer_look_finish(&watch->looks[1]);
    answer_live_finish(&watch->live);
}
