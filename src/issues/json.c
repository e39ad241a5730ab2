#include "issues/output.h"

#include "base/json.h"

/* Left out where it is not known. */
static void put_number(struct mb_json *json, const char *key, int64_t number)
{
    if (number != ANSWER_UNKNOWN) {
        mb_json_number(json, key, number);
    }
}

static void put_text(struct mb_json *json, const char *key, struct mb_text text)
{
    if (text.size > 0) {
        mb_json_text(json, key, text);
    }
}

static void put_frames(const struct answer_issue *issue, struct mb_json *json)
{
    struct mb_text lines = issue->frames;

    if (lines.size == 0) {
        return;
    }
    mb_json_open(json, "frames", "[");
    while (lines.size > 0) {
        mb_json_text(json, NULL, mb_text_split(&lines, '\n'));
    }
    mb_json_close(json, "]");
}

static void put_calls(const struct issues_page *page, const struct answer_issue *issue,
                      struct mb_json *json)
{
    struct mb_text stack = issue->stack;
    struct issues_item item;

    if (stack.size == 0) {
        return;
    }
    mb_json_open(json, "calls", "[");
    while (issues_take_item(&stack, &item)) {
        mb_json_open(json, NULL, "{");
        mb_json_count(json, "depth", item.depth);
        mb_json_count(json, "id", item.id);
        put_text(json, "name", issues_name(page->names, &issue->when, item.id));
        mb_json_count(json, "count", item.count);
        put_number(json, "ms", item.ms);
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

static void put_load(const struct answer_issue *issue, struct mb_json *json)
{
    if (issue->load != ANSWER_LOAD_UNKNOWN) {
        mb_json_flag(json, "busy", issue->load == ANSWER_BUSY);
    }
}

static void put_issue(const struct issues_page *page, const struct answer_issue *issue,
                      struct mb_json *json)
{
    mb_json_open(json, "longest", "{");
    put_text(json, "file", issue->file);
    mb_json_count(json, "line", issue->line);
    put_text(json, "detail", issue->detail);
    put_number(json, "cost_ns", issue->cost_ns);
    put_number(json, "time_ms", issue->when.until_ms);
    put_text(json, "incident", issue->incident);
    put_text(json, "process", issue->process);
    put_text(json, "scene", issue->scene);
    put_text(json, "loop", issue->loop);
    put_text(json, "message", issue->message);
    put_text(json, "ended", issue->ended);
    put_text(json, "reason", issue->system);
    put_text(json, "often", issue->often);
    put_text(json, "told_key", issue->told_key);
    put_text(json, "told", issue->told);
    put_load(issue, json);
    put_text(json, "app_key", issue->app_key);
    put_text(json, "waits_in", issue->waits_in);
    if (issue->key != 0) {
        mb_json_count(json, "key", issue->key);
        put_text(json, "key_name", issues_name(page->names, &issue->when, issue->key));
    }
    put_frames(issue, json);
    put_text(json, "threads", issue->threads);
    if (issue->samples > 0) {
        mb_json_count(json, "samples", issue->samples);
        mb_json_count(json, "repeats", issue->repeats);
    }
    put_calls(page, issue, json);
    mb_json_close(json, "}");
}

static void put_details(const struct answer_cause *group, struct mb_json *json)
{
    mb_json_open(json, "details", "{");
    for (size_t i = 0; i < ANSWER_MOST_DETAILS && group->details[i].count > 0; i++) {
        struct mb_text detail = group->details[i].detail;
        mb_json_text(json, NULL, detail.size > 0 ? detail : MB_TEXT("others"));
        mb_buf_printf(json->out, ":%zu", group->details[i].count);
    }
    mb_json_close(json, "}");
}

/* {"name":"5.2","issues":40} each. */
static void put_origin_rows(const struct answer_origin_count *rows, size_t count,
                            struct mb_json *json)
{
    for (size_t i = 0; i < count; i++) {
        mb_json_open(json, NULL, "{");
        mb_json_text(json, "name", rows[i].name);
        mb_json_count(json, "issues", rows[i].count);
        mb_json_close(json, "}");
    }
}

static void put_origins(const struct answer_cause *group, struct mb_json *json)
{
    static const char *const keys[][2] = {{"versions", "more_versions"},
                                          {"devices", "more_devices"}};

    for (size_t i = 0; i < ANSWER_ORIGINS; i++) {
        const struct answer_origins *origins = &group->origins[i];
        size_t shown = origins->count < ISSUES_MOST_ORIGINS ? origins->count : ISSUES_MOST_ORIGINS;
        if (shown > 0) {
            mb_json_open(json, keys[i][0], "[");
            put_origin_rows(origins->rows, shown, json);
            mb_json_close(json, "]");
        }
        if (origins->count > shown) {
            mb_json_count(json, keys[i][1], origins->count - shown);
        }
    }
}

static void put_groups(const struct issues_page *page, struct mb_json *json)
{
    size_t count;
    const struct answer_cause *rows = issues_rows(page, &count);

    mb_json_open(json, "groups", "[");
    for (size_t i = 0; i < count; i++) {
        mb_json_break(json, "\n");
        mb_json_open(json, NULL, "{");
        put_text(json, "group", rows[i].label);
        mb_json_count(json, "issues", rows[i].count);
        if (rows[i].seen > page->groups->issue_count) {
            mb_json_count(json, "seen_in_a_day", rows[i].seen);
        }
        put_number(json, "total_ns", rows[i].total_ns);
        put_number(json, "first_ms", rows[i].first_ms);
        put_number(json, "last_ms", rows[i].last_ms);
        put_details(&rows[i], json);
        put_origins(&rows[i], json);
        put_issue(page, rows[i].worst, json);
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

static void put_damage(const struct issues_page *page, struct mb_json *json)
{
    size_t count;
    const struct mb_error *rows = issues_damage(page->all, &count);

    mb_json_open(json, "damaged", "[");
    for (size_t i = 0; i < count; i++) {
        mb_json_open(json, NULL, "{");
        put_text(json, "place", mb_text_of(rows[i].input));
        put_text(json, "reason", mb_text_of(rows[i].reason));
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

static void put_json(const struct issues_page *page, struct mb_buf *out)
{
    struct mb_json json = {.out = out};

    mb_json_open(&json, NULL, "{");
    mb_json_count(&json, "files", page->all->file_count);
    mb_json_count(&json, "issues", page->groups->issue_count);
    mb_json_count(&json, "left_out", page->groups->left_out);
    mb_json_count(&json, "others", page->all->other_count);
    mb_json_count(&json, "doubles", page->all->double_count);
    put_number(&json, "total_ns", page->groups->total_ns);
    put_number(&json, "first_ms", page->groups->first_ms);
    put_number(&json, "last_ms", page->groups->last_ms);
    put_groups(page, &json);
    put_damage(page, &json);
    mb_json_end(&json);
}

const struct issues_format issues_json = {.name = "json", .put = put_json};
