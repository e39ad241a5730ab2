#include "issues/output.h"

#include <inttypes.h>

/* A member, with the comma that it needs. */
static void put_key(struct mb_buf *out, const char *key)
{
    uint8_t last = out->size > 0 ? out->bytes[out->size - 1] : '{';

    mb_buf_put_string(out, last == '{' || last == '[' ? "" : ",");
    mb_buf_printf(out, "\"%s\":", key);
}

static void put_element(struct mb_buf *out)
{
    uint8_t last = out->size > 0 ? out->bytes[out->size - 1] : '[';

    mb_buf_put_string(out, last == '[' ? "" : ",");
}

static void put_count(struct mb_buf *out, const char *key, uint64_t count)
{
    put_key(out, key);
    mb_buf_printf(out, "%" PRIu64, count);
}

/* Left out where it is not known. */
static void put_number(struct mb_buf *out, const char *key, int64_t number)
{
    if (number != ISSUES_UNKNOWN) {
        put_key(out, key);
        mb_buf_printf(out, "%" PRId64, number);
    }
}

static void put_text(struct mb_buf *out, const char *key, struct mb_text text)
{
    if (text.size > 0) {
        put_key(out, key);
        mb_buf_put_json_string(out, text);
    }
}

static void put_name(const struct issues_page *page, struct mb_buf *out, const char *key,
                     uint32_t text)
{
    put_text(out, key, issues_get(page, text));
}

static void put_frames(const struct issues_page *page, const struct issues_issue *issue,
                       struct mb_buf *out)
{
    struct mb_text lines = issues_get(page, issue->frames);

    if (lines.size == 0) {
        return;
    }
    put_key(out, "frames");
    mb_buf_put_u1(out, '[');
    while (lines.size > 0) {
        put_element(out);
        mb_buf_put_json_string(out, mb_text_split(&lines, '\n'));
    }
    mb_buf_put_u1(out, ']');
}

static void put_calls(const struct issues_page *page, const struct issues_issue *issue,
                      struct mb_buf *out)
{
    struct mb_text stack = issues_get(page, issue->stack);
    struct issues_item item;

    if (stack.size == 0) {
        return;
    }
    put_key(out, "calls");
    mb_buf_put_u1(out, '[');
    while (issues_take_item(&stack, &item)) {
        put_element(out);
        mb_buf_put_u1(out, '{');
        put_count(out, "depth", item.depth);
        put_count(out, "id", item.id);
        put_text(out, "name", issues_name(page->names, issue->mapping, item.id));
        put_count(out, "count", item.count);
        put_number(out, "ms", item.ms);
        mb_buf_put_u1(out, '}');
    }
    mb_buf_put_u1(out, ']');
}

static void put_load(const struct issues_issue *issue, struct mb_buf *out)
{
    if (issue->load != ISSUES_LOAD_UNKNOWN) {
        put_key(out, "busy");
        mb_buf_put_string(out, issue->load == ISSUES_BUSY ? "true" : "false");
    }
}

static void put_issue(const struct issues_page *page, const struct issues_issue *issue,
                      struct mb_buf *out)
{
    put_key(out, "longest");
    mb_buf_put_u1(out, '{');
    put_name(page, out, "file", issue->file);
    put_count(out, "line", issue->line);
    put_name(page, out, "detail", issue->detail);
    put_number(out, "cost_ns", issue->cost_ns);
    put_number(out, "time_ms", issue->time_ms);
    put_name(page, out, "incident", issue->incident);
    put_name(page, out, "process", issue->process);
    put_name(page, out, "scene", issue->scene);
    put_name(page, out, "loop", issue->loop);
    put_name(page, out, "message", issue->message);
    put_name(page, out, "ended", issue->ended);
    put_name(page, out, "reason", issue->system);
    put_name(page, out, "often", issue->often);
    put_name(page, out, "told_key", issue->told_key);
    put_name(page, out, "told", issue->told);
    put_load(issue, out);
    put_name(page, out, "app_key", issue->app_key);
    if (issue->key != 0) {
        put_count(out, "key", issue->key);
        put_text(out, "key_name", issues_name(page->names, issue->mapping, issue->key));
    }
    put_frames(page, issue, out);
    if (issue->samples > 0) {
        put_count(out, "samples", issue->samples);
        put_count(out, "repeats", issue->repeats);
    }
    put_calls(page, issue, out);
    mb_buf_put_u1(out, '}');
}

static void put_details(const struct issues_page *page, const struct issues_group *group,
                        struct mb_buf *out)
{
    put_key(out, "details");
    mb_buf_put_u1(out, '{');
    for (size_t i = 0; i < ISSUES_MOST_DETAILS && group->details[i].count > 0; i++) {
        struct mb_text detail = issues_get(page, group->details[i].detail);
        mb_buf_put_string(out, i > 0 ? "," : "");
        mb_buf_put_json_string(out, detail.size > 0 ? detail : MB_TEXT("others"));
        mb_buf_printf(out, ":%zu", group->details[i].count);
    }
    mb_buf_put_u1(out, '}');
}

static void put_groups(const struct issues_page *page, struct mb_buf *out)
{
    size_t count;
    const struct issues_group *rows = issues_rows(page, &count);

    put_key(out, "groups");
    mb_buf_put_u1(out, '[');
    for (size_t i = 0; i < count; i++) {
        put_element(out);
        mb_buf_put_string(out, "\n{");
        put_name(page, out, "group", rows[i].label);
        put_count(out, "issues", rows[i].count);
        put_number(out, "total_ns", rows[i].total_ns);
        put_number(out, "first_ms", rows[i].first_ms);
        put_number(out, "last_ms", rows[i].last_ms);
        put_details(page, &rows[i], out);
        put_issue(page, rows[i].worst, out);
        mb_buf_put_u1(out, '}');
    }
    mb_buf_put_u1(out, ']');
}

static void put_dropped(const struct issues_page *page, struct mb_buf *out)
{
    const struct issues_dropped *rows = (const void *)page->all->dropped.bytes;

    put_key(out, "dropped");
    mb_buf_put_u1(out, '[');
    for (size_t i = 0; i < page->all->dropped.size / sizeof(*rows); i++) {
        put_element(out);
        mb_buf_put_u1(out, '{');
        put_name(page, out, "file", rows[i].file);
        put_name(page, out, "detail", rows[i].detail);
        put_name(page, out, "reason", rows[i].reason);
        put_count(out, "count", rows[i].count);
        mb_buf_put_u1(out, '}');
    }
    mb_buf_put_u1(out, ']');
}

static void put_damage(const struct issues_page *page, struct mb_buf *out)
{
    size_t count;
    const struct mb_error *rows = issues_damage(page->all, &count);

    put_key(out, "damaged");
    mb_buf_put_u1(out, '[');
    for (size_t i = 0; i < count; i++) {
        put_element(out);
        mb_buf_put_u1(out, '{');
        put_text(out, "place", mb_text_of(rows[i].input));
        put_text(out, "reason", mb_text_of(rows[i].reason));
        mb_buf_put_u1(out, '}');
    }
    mb_buf_put_u1(out, ']');
}

static void put_json(const struct issues_page *page, struct mb_buf *out)
{
    mb_buf_put_u1(out, '{');
    put_count(out, "files", page->all->file_count);
    put_count(out, "issues", page->groups->issue_count);
    put_count(out, "left_out", page->groups->left_out);
    put_count(out, "others", page->all->other_count);
    put_count(out, "doubles", page->all->double_count);
    put_number(out, "total_ns", page->groups->total_ns);
    put_number(out, "first_ms", page->groups->first_ms);
    put_number(out, "last_ms", page->groups->last_ms);
    put_groups(page, out);
    put_dropped(page, out);
    put_damage(page, out);
    mb_buf_put_string(out, "}\n");
}

const struct issues_format issues_json = {.name = "json", .put = put_json};
