#include "issues/output.h"

#include "base/clock.h"

#include <inttypes.h>

/* RFC 4180, each text in quotes. What a spreadsheet would take for a formula has a quote in
 * front. */
static void put_text(struct mb_buf *out, struct mb_text text)
{
    struct mb_buf shown = {0};

    mb_buf_put_printable(&shown, text);
    mb_buf_put_u1(out, '"');
    if (shown.size > 0 && memchr("=+-@", shown.bytes[0], 4) != NULL) {
        mb_buf_put_u1(out, '\'');
    }
    for (size_t i = 0; i < shown.size; i++) {
        mb_buf_put(out, "\"\"", shown.bytes[i] == '"');
        mb_buf_put_u1(out, shown.bytes[i]);
    }
    mb_buf_put_u1(out, '"');
    mb_buf_finish_part(out, &shown);
}

static void put_time(struct mb_buf *out, int64_t ms)
{
    char text[ANSWER_TIME_SIZE] = "";

    if (ms != ANSWER_UNKNOWN) {
        answer_format_time(text, ms);
    }
    mb_buf_printf(out, ",%s", text);
}

static void put_ms(struct mb_buf *out, int64_t ns)
{
    mb_buf_put_u1(out, ',');
    if (ns != ANSWER_UNKNOWN) {
        mb_buf_printf(out, "%" PRId64, ns / MB_NS_PER_MS);
    }
}

static void put_origins(struct mb_buf *out, const struct answer_origins *origins)
{
    struct mb_buf text = {0};

    issues_put_origins(&text, origins, 0);
    mb_buf_put_u1(out, ',');
    put_text(out, (struct mb_text){(const char *)text.bytes, text.size});
    mb_buf_finish_part(out, &text);
}

static void put_row(const struct answer_cause *group, struct mb_buf *out)
{
    const struct mb_text texts[] = {group->worst->detail, group->worst->process,
                                    group->worst->scene, group->worst->file};

    put_text(out, group->label);
    mb_buf_printf(out, ",%zu", group->count);
    put_ms(out, group->total_ns);
    put_ms(out, group->worst->cost_ns);
    put_time(out, group->first_ms);
    put_time(out, group->last_ms);
    for (size_t i = 0; i < MB_COUNT(texts); i++) {
        mb_buf_put_u1(out, ',');
        put_text(out, texts[i]);
    }
    mb_buf_printf(out, ",%" PRIu32, group->worst->line);
    for (size_t i = 0; i < ANSWER_ORIGINS; i++) {
        put_origins(out, &group->origins[i]);
    }
    mb_buf_put_string(out, "\r\n");
}

static void put_csv(const struct issues_page *page, struct mb_buf *out)
{
    size_t count;
    const struct answer_cause *rows = issues_rows(page, &count);

    mb_buf_put_string(out, "group,issues,total_ms,longest_ms,first_utc,last_utc,longest_detail,"
                           "longest_process,longest_scene,longest_file,longest_line,versions,"
                           "devices\r\n");
    for (size_t i = 0; i < count; i++) {
        put_row(&rows[i], out);
    }
}

const struct issues_format issues_csv = {.name = "csv", .put = put_csv};
