#include "fleet/sessions.h"

#include "fleet/who.h"

#define MOST_BUCKET 1023 /* 6 days: sums end before */

/* A session at work. */
struct session {
    struct fleet_rows *rows;
    const struct mb_value *object;
    struct mb_buf who; /* the columns that all its rows have, once they are known */
};

bool fleet_is_session(const struct mb_value *object)
{
    return mb_value_is(mb_value_get(object, "app"), MB_JSON_OBJECT) &&
           mb_value_is(mb_value_get(object, "until_ms"), MB_JSON_INTEGER) &&
           mb_value_is(mb_value_get(object, "day"), MB_JSON_INTEGER);
}

static void take_who(const struct fleet_columns *columns, const struct mb_value *object)
{
    fleet_take_app(columns, mb_value_get(object, "app"));
    fleet_take_text(columns, "process", object, "process");
    fleet_take_class(columns, mb_value_get(object, "app"), object);
    fleet_take_time(columns, "ts", object, "until_ms");
    fleet_take_number(columns, "date", object, "day");
}

/* With the columns that all rows of the session have. */
static struct fleet_columns begin_row(struct session *session, enum fleet_table table)
{
    const struct fleet_columns columns = {fleet_begin_row(session->rows->writer, table),
                                          session->rows->refused, session->rows->latest_ms};
    struct mb_buf *out = columns.row->out;
    size_t start = out->size;

    if (session->who.size > 0) {
        mb_buf_put(out, session->who.bytes, session->who.size);
    } else {
        take_who(&columns, session->object);
        mb_buf_put(&session->who, out->bytes + start, out->size - start);
    }
    return columns;
}

static int64_t sum_of(const struct mb_value *list, const char *member)
{
    int64_t sum = 0;

    for (MB_EACH_VALUE(item, list)) {
        int64_t number = mb_value_integer(mb_value_get(item, member));
        sum += number > 0 && number <= UINT32_MAX ? number : 0;
    }
    return sum;
}

static void put_session(struct session *session)
{
    const struct mb_value *frames = mb_value_get(session->object, "frames");
    int64_t from_ms = mb_value_integer(mb_value_get(session->object, "from_ms"));
    int64_t until_ms = mb_value_integer(mb_value_get(session->object, "until_ms"));
    const struct fleet_columns columns = begin_row(session, FLEET_TABLE_sessions);

    if (from_ms > 0 && from_ms <= until_ms) {
        mb_json_number(columns.row, "lasted_ms", until_ms - from_ms);
    }
    mb_json_number(columns.row, "starts", sum_of(mb_value_get(session->object, "starts"), "n"));
    mb_json_number(columns.row, "frames", sum_of(frames, "n"));
    mb_json_number(columns.row, "late_ms", sum_of(frames, "late_ms"));
    fleet_end_row(session->rows->writer);
}

/* [bucket, n] */
static bool read_pair(const struct mb_value *pair, int64_t *bucket, int64_t *count)
{
    bool is_pair = mb_value_is(pair, MB_JSON_LIST) && mb_value_count(pair) == 2;
    const struct mb_value *first = is_pair ? mb_value_first(pair) : NULL;

    *bucket = mb_value_integer(first);
    *count = is_pair ? mb_value_integer(mb_value_next(pair, first)) : 0;
    return is_pair && *bucket >= 0 && *bucket <= MOST_BUCKET && *count >= 1 && *count <= UINT32_MAX;
}

static void put_list(const struct fleet_columns *columns, const char *column,
                     const struct mb_value *buckets, bool is_count)
{
    unsigned left = MOST_BUCKET + 1;

    mb_json_open(columns->row, column, "[");
    for (MB_EACH_VALUE(pair, buckets)) {
        int64_t bucket;
        int64_t count;
        bool is_one = left > 0 && read_pair(pair, &bucket, &count);
        if (is_one) {
            mb_json_number(columns->row, NULL, is_count ? count : bucket);
        }
        columns->refused[FLEET_OUT_OF_RANGE] += !is_one && !is_count;
        left -= left > 0;
    }
    mb_json_close(columns->row, "]");
}

/* A row for each of a list of the session's, whose objects have a name and buckets. */
static void put_sums(struct session *session, const char *list, const char *kind, const char *named)
{
    const struct mb_value *sums = mb_value_get(session->object, list);

    for (MB_EACH_VALUE(sum, sums)) {
        const struct mb_value *buckets = mb_value_get(sum, "buckets");
        if (mb_value_count(buckets) > 0) {
            const struct fleet_columns columns = begin_row(session, FLEET_TABLE_sums);
            mb_json_string(columns.row, "kind", kind);
            fleet_take_cut(&columns, "name", mb_value_text(mb_value_get(sum, named)));
            put_list(&columns, "bucket_list", buckets, false);
            put_list(&columns, "n_list", buckets, true);
            fleet_end_row(session->rows->writer);
        }
    }
}

static void put_counts(struct session *session)
{
    const struct mb_value *details = mb_value_get(session->object, "issues");

    for (MB_EACH_VALUE(detail, details)) {
        const struct fleet_columns columns = begin_row(session, FLEET_TABLE_counts);
        fleet_take_text(&columns, "detail", detail, "detail");
        fleet_take_number(&columns, "seen", detail, "seen");
        fleet_take_number(&columns, "written", detail, "written");
        fleet_take_number(&columns, "reported", detail, "reported");
        fleet_end_row(session->rows->writer);
    }
}

enum issues_verdict fleet_take_session(struct fleet_rows *rows, const struct mb_value *object)
{
    struct session session = {.rows = rows, .object = object};

    if (!fleet_is_understood(object)) {
        rows->refused[FLEET_OTHER_SCHEMA]++;
        return ISSUES_OTHER;
    }
    put_session(&session);
    put_sums(&session, "frames", "frame", "scene");
    put_sums(&session, "starts", "start", "kind");
    put_counts(&session);
    mb_buf_fail_with(&rows->scratch, &session.who);
    mb_buf_finish(&session.who);
    return rows->scratch.failed ? ISSUES_NO_MEMORY : ISSUES_OTHER;
}
