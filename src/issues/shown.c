#include "issues/output.h"

#include "issues/retrace.h"

static void take_causes(struct issues_shown *shown, size_t most)
{
    const struct answer_cause *causes = shown->groups.rows.items;
    size_t count = MB_VEC_COUNT(&shown->groups.rows);

    for (size_t i = 0; i < count && i < most; i++) {
        if (causes[i].worst->drawn.frames == 0) {
            MB_VEC_PUSH(&shown->causes, causes[i]);
        }
    }
}

/* By time; of equal times, as they were read. */
static int by_time(const void *a, const void *b)
{
    const struct answer_issue *const *x = a;
    const struct answer_issue *const *y = b;

    if ((*x)->when.until_ms != (*y)->when.until_ms) {
        return (*x)->when.until_ms < (*y)->when.until_ms ? -1 : 1;
    }
    return (*x > *y) - (*x < *y);
}

static void take_drawn(struct issues_shown *shown)
{
    size_t count;
    const struct answer_issue *issues = issues_all(&shown->all, &count);

    for (size_t i = 0; i < count; i++) {
        const struct answer_issue *issue = &issues[i];
        if (issue->drawn.frames > 0) {
            MB_VEC_PUSH(&shown->drawn, issue);
        }
    }
    MB_VEC_SORT(&shown->drawn, by_time);
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
    take_causes(shown, most);
    take_drawn(shown);
    MB_TRY(mb_buf_check(&shown->drawn.buf, err));
    return mb_buf_check(&shown->causes.buf, err);
}

void issues_shown_finish(struct issues_shown *shown)
{
    issues_names_destroy(shown->names);
    issues_groups_finish(&shown->groups);
    issues_collection_finish(&shown->all);
    mb_buf_finish(&shown->causes.buf);
    mb_buf_finish(&shown->drawn.buf);
}

struct answer_monitors issues_shown_monitors(const struct issues_shown *shown)
{
    return (struct answer_monitors){
        .has_issues = true,
        .causes = shown->causes.items,
        .cause_count = MB_VEC_COUNT(&shown->causes),
        .drawn = shown->drawn.items,
        .drawn_count = MB_VEC_COUNT(&shown->drawn),
    };
}

struct answer_issues issues_shown_all(const struct issues_shown *shown)
{
    struct answer_issues all = {.labels = shown->groups.labels.items};

    all.rows = issues_all(&shown->all, &all.count);
    return all;
}

/* ---- Formats ---- */

static const struct issues_format *const formats[] = {
    [ISSUES_TEXT] = &issues_text, [ISSUES_JSON] = &issues_json, [ISSUES_CSV] = &issues_csv};

const struct issues_format *issues_format_at(size_t number)
{
    return number < MB_COUNT(formats) ? formats[number] : NULL;
}

const struct answer_cause *issues_rows(const struct issues_page *page, size_t *count)
{
    *count = MB_VEC_COUNT(&page->groups->rows);
    *count = *count < page->top ? *count : page->top;
    return page->groups->rows.items;
}
