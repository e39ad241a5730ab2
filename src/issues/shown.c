#include "issues/shown.h"

#include "issues/output.h"
#include "issues/retrace.h"

#include <stdio.h>
#include <stdlib.h>

static struct mb_text get(const struct issues_shown *shown, uint32_t text)
{
    return mb_intern_get(shown->all.texts, text);
}

#define TIME_SIZE (ISSUES_TIME_SIZE + 4)

static void put_time(struct issues_shown *shown, const struct issues_issue *issue)
{
    char *text = (char *)mb_buf_extend(&shown->times, TIME_SIZE);

    if (text != NULL) {
        text[0] = '\0';
        if (issue->time_ms != ISSUES_UNKNOWN) {
            issues_format_time(text, issue->time_ms);
            memcpy(text + strlen(text), " UTC", 5);
        }
    }
}

static struct answer_when when_of(const struct issues_issue *issue)
{
    bool is_known = issue->length_ns != ISSUES_UNKNOWN;

    return (struct answer_when){.begin_ns = is_known ? issue->begin_ns : ANSWER_UNKNOWN,
                                .lasted_ns = is_known ? issue->length_ns : 0,
                                .until_ms = issue->time_ms,
                                .mapping = issue->mapping};
}

static void put_row(struct issues_shown *shown, const struct issues_group *group)
{
    const struct issues_issue *worst = group->worst;
    const struct answer_issue row = {
        .label = get(shown, group->label),
        .detail = get(shown, worst->detail),
        .process = get(shown, worst->process),
        .scene = get(shown, worst->scene),
        .frames = get(shown, worst->frames),
        .loop = get(shown, worst->loop),
        .message = get(shown, worst->message),
        .told = get(shown, worst->told),
        .figures = get(shown, worst->figures != 0 ? worst->figures : worst->often),
        .when = when_of(worst),
        .count = group->count,
        .total_ns = group->total_ns,
        .longest_ns = worst->cost_ns != ISSUES_UNKNOWN ? worst->cost_ns : -1,
    };

    put_time(shown, worst);
    mb_buf_put(&shown->rows, &row, sizeof(row));
}

static void put_drawn(struct issues_shown *shown, const struct issues_issue *issue)
{
    const struct issues_drawn *from = &issue->drawn;
    struct answer_drawn row = {
        .when = when_of(issue),
        .scene = get(shown, issue->scene),
        .frames = from->frames,
        .fps = from->fps,
        .refresh = from->refresh,
        .late_ns = from->late_ns,
        .longest_ns = from->longest_ns,
        .hitch_us = from->hitch_us,
    };

    _Static_assert(sizeof(row.levels) == sizeof(from->levels), "levels are the same");
    memcpy(row.levels, from->levels, sizeof(row.levels));
    mb_buf_put(&shown->drawn, &row, sizeof(row));
}

static int by_time(const void *a, const void *b)
{
    const struct issues_issue *const *x = a;
    const struct issues_issue *const *y = b;

    if ((*x)->time_ms != (*y)->time_ms) {
        return (*x)->time_ms < (*y)->time_ms ? -1 : 1;
    }
    return (*x > *y) - (*x < *y);
}

/* Issues of drawing, in order of time. */
static void put_all_drawn(struct issues_shown *shown)
{
    struct mb_buf order = {0};
    size_t count;
    const struct issues_issue *issues = issues_all(&shown->all, &count);

    for (size_t i = 0; i < count; i++) {
        const struct issues_issue *issue = &issues[i];
        if (issue->drawn.frames > 0) {
            mb_buf_put(&order, &issue, sizeof(issue));
        }
    }
    const struct issues_issue **rows = (void *)order.bytes;
    count = order.failed ? 0 : order.size / sizeof(*rows);
    shown->drawn.failed = shown->drawn.failed || order.failed;
    if (count > 0) {
        qsort((void *)rows, count, sizeof(*rows), by_time);
    }
    for (size_t i = 0; i < count; i++) {
        put_time(shown, rows[i]);
        put_drawn(shown, rows[i]);
    }
    mb_buf_finish(&order);
}

/* The texts of times stay where they are once all are there. */
static void set_times(struct issues_shown *shown)
{
    struct answer_issue *rows = (void *)shown->rows.bytes;
    struct answer_drawn *drawn = (void *)shown->drawn.bytes;
    const char *time = (const char *)shown->times.bytes;

    for (size_t i = 0; i < shown->rows.size / sizeof(*rows); i++, time += TIME_SIZE) {
        rows[i].until = mb_text_of(time);
    }
    for (size_t i = 0; i < shown->drawn.size / sizeof(*drawn); i++, time += TIME_SIZE) {
        drawn[i].until = mb_text_of(time);
    }
}

static enum mb_status put_rows(struct issues_shown *shown, size_t most, struct mb_error *err)
{
    const struct issues_group *groups = (const void *)shown->groups.rows.bytes;
    size_t count = shown->groups.rows.size / sizeof(*groups);

    for (size_t i = 0; i < count && i < most; i++) {
        if (groups[i].worst->drawn.frames == 0) {
            put_row(shown, &groups[i]);
        }
    }
    put_all_drawn(shown);
    MB_TRY(mb_buf_check(&shown->times, err));
    MB_TRY(mb_buf_check(&shown->drawn, err));
    MB_TRY(mb_buf_check(&shown->rows, err));
    set_times(shown);
    return MB_OK;
}

static void put_told(struct issues_shown *shown, const struct issues_issue *issue, uint32_t label)
{
    const struct answer_told told = {
        .event = {.detail = get(shown, issue->detail),
                  .label = get(shown, label),
                  .loop = get(shown, issue->loop),
                  .message = get(shown, issue->message),
                  .scene = get(shown, issue->scene),
                  .frames = get(shown, issue->frames),
                  .has_fps = issue->drawn.has_fps,
                  .fps = (uint32_t)issue->drawn.fps},
        .when = when_of(issue),
    };

    if (told.when.begin_ns != ANSWER_UNKNOWN) {
        mb_buf_put(&shown->told, &told, sizeof(told));
    }
}

static enum mb_status put_all_told(struct issues_shown *shown, struct mb_error *err)
{
    const uint32_t *labels = (const void *)shown->groups.labels.bytes;
    size_t count;
    const struct issues_issue *issues = issues_all(&shown->all, &count);

    for (size_t i = 0; i < count; i++) {
        put_told(shown, &issues[i], labels[i]);
    }
    return mb_buf_check(&shown->told, err);
}

enum mb_status issues_show(struct issues_shown *shown, const char *spool,
                           const struct issues_map_source *source, size_t most,
                           struct mb_error *err)
{
    const struct issues_filter all = {0};

    if (!issues_collection_init(&shown->all)) {
        return mb_fail_memory(err);
    }
    shown->names = issues_names_create(source, err);
    if (shown->names == NULL) {
        return err->status;
    }
    MB_TRY(issues_read(&shown->all, spool, err));
    if (shown->all.missing_count > 0) {
        size_t count;
        *err = *issues_damage(&shown->all, &count);
        return err->status;
    }
    MB_TRY(issues_unite(&shown->all, err));
    MB_TRY(issues_retrace(&shown->all, source->mapping, err));
    MB_TRY(issues_group(&shown->groups, &shown->all, shown->names, ISSUES_BY_KEY, &all, err));
    MB_TRY(put_rows(shown, most, err));
    return put_all_told(shown, err);
}

void issues_shown_finish(struct issues_shown *shown)
{
    issues_names_destroy(shown->names);
    issues_groups_finish(&shown->groups);
    issues_collection_finish(&shown->all);
    mb_buf_finish(&shown->times);
    mb_buf_finish(&shown->rows);
    mb_buf_finish(&shown->told);
    mb_buf_finish(&shown->drawn);
}
