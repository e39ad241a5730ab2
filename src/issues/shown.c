#include "issues/shown.h"

#include "issues/output.h"

#include <stdio.h>

static struct mb_text get(const struct issues_shown *shown, uint32_t text)
{
    return mb_intern_get(shown->all.texts, text);
}

/* Room for one; NULL without memory. */
static char *put_time(struct issues_shown *shown, const struct issues_issue *issue)
{
    char *text = (char *)mb_buf_extend(&shown->times, ISSUES_TIME_SIZE + 4);

    if (text != NULL) {
        text[0] = '\0';
        if (issue->time_ms != ISSUES_UNKNOWN) {
            issues_format_time(text, issue->time_ms);
            memcpy(text + strlen(text), " UTC", 5);
        }
    }
    return text;
}

static void put_row(struct issues_shown *shown, const struct issues_group *group)
{
    const struct issues_issue *worst = group->worst;
    const struct export_issue row = {
        .label = get(shown, group->label),
        .detail = get(shown, worst->detail),
        .process = get(shown, worst->process),
        .scene = get(shown, worst->scene),
        .frames = get(shown, worst->frames),
        .count = group->count,
        .total_ns = group->total_ns,
        .longest_ns = worst->cost_ns != ISSUES_UNKNOWN ? worst->cost_ns : -1,
    };

    (void)put_time(shown, worst);
    mb_buf_put(&shown->rows, &row, sizeof(row));
}

/* The texts of times stay where they are once all are there. */
static void set_times(struct issues_shown *shown)
{
    struct export_issue *rows = (void *)shown->rows.bytes;

    for (size_t i = 0; i < shown->rows.size / sizeof(*rows); i++) {
        rows[i].until = mb_text_of((const char *)shown->times.bytes + i * (ISSUES_TIME_SIZE + 4));
    }
}

static enum mb_status put_rows(struct issues_shown *shown, size_t most, struct mb_error *err)
{
    const struct issues_group *groups = (const void *)shown->groups.rows.bytes;
    size_t count = shown->groups.rows.size / sizeof(*groups);

    for (size_t i = 0; i < count && i < most; i++) {
        put_row(shown, &groups[i]);
    }
    MB_TRY(mb_buf_check(&shown->times, err));
    MB_TRY(mb_buf_check(&shown->rows, err));
    set_times(shown);
    return MB_OK;
}

static void put_told(struct issues_shown *shown, const struct issues_issue *issue, uint32_t label)
{
    const struct report_told told = {
        .event = {.detail = get(shown, issue->detail),
                  .label = get(shown, label),
                  .loop = get(shown, issue->loop),
                  .message = get(shown, issue->message),
                  .scene = get(shown, issue->scene),
                  .frames = get(shown, issue->frames),
                  .has_fps = issue->fps != ISSUES_UNKNOWN,
                  .fps = issue->fps != ISSUES_UNKNOWN ? (uint32_t)issue->fps : 0},
        .begin_ns = issue->begin_ns,
        .length_ns = issue->length_ns,
        .until_ms = issue->time_ms != ISSUES_UNKNOWN ? issue->time_ms : 0,
        .mapping = issue->mapping,
    };

    if (issue->begin_ns != ISSUES_UNKNOWN && issue->length_ns != ISSUES_UNKNOWN) {
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
        const struct mb_error *damage = (const void *)shown->all.damage.bytes;
        *err = *damage;
        return err->status;
    }
    MB_TRY(issues_unite(&shown->all, err));
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
}
