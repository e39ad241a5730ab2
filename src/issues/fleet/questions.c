#include "issues/fleet/questions.h"

#include "issues/fleet/lake.h"
#include "issues/fleet/schema.h"

#include <inttypes.h>
#include <stdio.h>

const struct fleet_question *fleet_find_question(const char *name)
{
    for (size_t i = 0; i < fleet_question_count; i++) {
        if (strcmp(fleet_questions[i].name, name) == 0) {
            return &fleet_questions[i];
        }
    }
    return NULL;
}

/* A literal, whatever the text holds: some read a backslash in it, and some double the quote. */
static void put_literal(struct mb_buf *sql, enum fleet_dialect dialect, const char *text)
{
    bool has_escapes = dialect != FLEET_DUCKDB && dialect != FLEET_TRINO;

    mb_buf_put_u1(sql, '\'');
    for (; *text != '\0'; text++) {
        if (has_escapes && (*text == '\\' || *text == '\'')) {
            mb_buf_put_u1(sql, '\\');
        } else if (*text == '\'') {
            mb_buf_put_u1(sql, '\'');
        }
        mb_buf_put_u1(sql, (unsigned char)*text);
    }
    mb_buf_put_u1(sql, '\'');
}

static void put_day(struct mb_buf *sql, const char *day, int before)
{
    fleet_day text;

    fleet_day_before(text, day, before);
    mb_buf_printf(sql, "'%s'", text);
}

/* As the engine names it; it may be a pattern of names. */
static void put_path(struct mb_buf *sql, enum fleet_dialect dialect, const char *lake,
                     struct mb_text rest)
{
    struct mb_buf path = {0};

    mb_buf_printf(&path, "%s%s%.*s", lake, *lake != '\0' ? "/" : "", (int)rest.size, rest.data);
    mb_buf_put_u1(&path, '\0');
    if (!path.failed) {
        put_literal(sql, dialect, (const char *)path.bytes);
    }
    mb_buf_finish_part(sql, &path);
}

struct listing {
    struct mb_buf *sql;
    enum fleet_dialect dialect;
    const struct fleet_place *place;
    const char *table;
    const char *between;
};

static enum mb_status put_day_files(void *context, const char *path, const char *name,
                                    struct mb_error *err)
{
    struct listing *listing = context;
    struct mb_buf rest = {0};

    (void)path;
    (void)err;
    mb_buf_put_string(listing->sql, listing->between);
    mb_buf_printf(&rest, "%s/%s/*.parquet", listing->table, name);
    put_path(listing->sql, listing->dialect, listing->place->path,
             (struct mb_text){(const char *)rest.bytes, rest.failed ? 0 : rest.size});
    listing->between = ", ";
    mb_buf_finish_part(listing->sql, &rest);
    return MB_OK;
}

static void put_files(struct mb_buf *sql, enum fleet_dialect dialect,
                      const struct fleet_place *place, const char *table)
{
    struct listing listing = {sql, dialect, place, table, ""};

    if (fleet_lake_each_day(place->folder, table, place->since, put_day_files, &listing, NULL) !=
        MB_OK) {
        sql->failed = true;
    }
}

static void put_lake_blank(struct mb_buf *sql, enum fleet_dialect dialect, struct mb_text name,
                           const struct fleet_place *place)
{
    if (mb_text_starts(name, MB_TEXT("lake/"))) {
        put_path(sql, dialect, place->path, mb_text_from(name, strlen("lake/")));
    } else if (mb_text_starts(name, MB_TEXT("files/"))) {
        char table[16];
        (void)snprintf(table, sizeof(table), "%.*s", (int)name.size - 6, name.data + 6);
        put_files(sql, dialect, place, table);
    } else if (mb_text_is(name, "loads")) {
        mb_buf_put(sql, place->loads->bytes, place->loads->size);
    } else if (mb_text_is(name, "staging")) {
        mb_buf_put_string(sql, place->staging);
    } else if (mb_text_is(name, "cut")) {
        mb_buf_put_string(sql, place->had_cut ? "true" : "false");
    } else if (mb_text_is(name, "uploads")) {
        put_literal(sql, dialect, place->uploads);
    } else if (mb_text_is(name, "batch")) {
        mb_buf_put_string(sql, place->batch);
    } else if (mb_text_is(name, "devices")) {
        put_literal(sql, dialect, place->devices);
    } else if (mb_text_is(name, "before")) {
        put_literal(sql, dialect, place->before);
    } else {
        mb_buf_put(sql, name.data, name.size);
    }
}

/* What unpacks the lists of a row of sums, by dialect. */
static const struct {
    const char *total;
    const char *bucket;
    const char *n;
    const char *rows;
} lists[] = {
    [FLEET_DUCKDB] = {"list_sum(n_list)", "unnest(bucket_list) AS bucket", "unnest(n_list) AS n",
                      ""},
    [FLEET_SPARK] = {"aggregate(n_list, 0L, (x, y) -> x + y)", "bucket", "n",
                     "LATERAL VIEW inline(arrays_zip(bucket_list, n_list)) q AS bucket, n"},
    [FLEET_CLICKHOUSE] = {"arraySum(n_list)", "bucket", "n",
                          "ARRAY JOIN bucket_list AS bucket, n_list AS n"},
    [FLEET_TRINO] = {"reduce(n_list, 0, (x, y) -> x + y, x -> x)", "bucket", "n",
                     "CROSS JOIN UNNEST(bucket_list, n_list) AS q (bucket, n)"},
    [FLEET_BIGQUERY] = {"(SELECT sum(x) FROM UNNEST(n_list) AS x)", "bucket",
                        "n_list[OFFSET(place)] AS n",
                        "CROSS JOIN UNNEST(bucket_list) AS bucket WITH OFFSET AS place"},
};

static bool put_list_blank(struct mb_buf *sql, enum fleet_dialect dialect, struct mb_text name)
{
    const char *text = mb_text_is(name, "total")    ? lists[dialect].total
                       : mb_text_is(name, "bucket") ? lists[dialect].bucket
                       : mb_text_is(name, "n")      ? lists[dialect].n
                       : mb_text_is(name, "rows")   ? lists[dialect].rows
                                                    : NULL;

    mb_buf_put_string(sql, text != NULL ? text : "");
    return text != NULL;
}

static void put_blank(struct mb_buf *sql, enum fleet_dialect dialect, struct mb_text name,
                      const struct fleet_blanks *blanks)
{
    if (mb_text_is(name, "old")) {
        put_literal(sql, dialect, blanks->old_release);
    } else if (mb_text_is(name, "new")) {
        put_literal(sql, dialect, blanks->new_release);
    } else if (mb_text_is(name, "where")) {
        mb_buf_printf(sql, "(%s)", blanks->where != NULL ? blanks->where : "1 = 1");
    } else if (mb_text_is(name, "by")) {
        mb_buf_printf(sql, "(%s)", blanks->by != NULL ? blanks->by : "coalesce(device_class, '')");
    } else if (mb_text_is(name, "since")) {
        put_day(sql, blanks->day, (int)blanks->days - 1);
    } else if (mb_text_is(name, "week")) {
        put_day(sql, blanks->day, 6);
    } else if (mb_text_is(name, "weeks")) {
        put_day(sql, blanks->day, 13);
    } else if (mb_text_is(name, "day")) {
        put_day(sql, blanks->day, 0);
    } else if (mb_text_is(name, "date")) {
        mb_buf_put_string(sql, blanks->day);
    } else if (mb_text_is(name, "top")) {
        mb_buf_printf(sql, "%" PRIu64, blanks->top);
    } else if (!put_list_blank(sql, dialect, name)) {
        put_lake_blank(sql, dialect, name, blanks->place);
    }
}

void fleet_put_sql(struct mb_buf *sql, enum fleet_dialect dialect, const char *text,
                   const struct fleet_blanks *blanks)
{
    struct mb_text rest = mb_text_of(text);

    while (rest.size > 0) {
        struct mb_text part = mb_text_split(&rest, '{');
        mb_buf_put(sql, part.data, part.size);
        if (rest.size > 0) {
            put_blank(sql, dialect, mb_text_split(&rest, '}'), blanks);
        }
    }
}

/* A folder without a load in it may have no files, which engines refuse; Spark notes no loads. */
static bool has_files(const struct fleet_place *place, enum fleet_dialect dialect,
                      const struct fleet_view *view)
{
    const char *since = view->is_of_names ? NULL : place->since;
    bool is_elsewhere = strstr(place->folder, "://") != NULL;

    return is_elsewhere ? strcmp(view->folder, "buckets") != 0
                        : (place->loads->size > 0 || dialect != FLEET_DUCKDB) &&
                              fleet_lake_has(place->folder, view->folder, since);
}

/* DuckDB opens all files of a table that it is told of. Sums are in four of them, and are asked by
 * their buckets, too. */
static bool is_asked(const struct fleet_place *place, const char *folder)
{
    struct mb_text sql = mb_text_of(place->sql != NULL ? place->sql : folder);
    bool has_sums = mb_text_contains(MB_TEXT("sums buckets sessions profiles"), mb_text_of(folder));

    return mb_text_contains(sql, mb_text_of(folder)) ||
           (has_sums &&
            (mb_text_contains(sql, MB_TEXT("sums")) || mb_text_contains(sql, MB_TEXT("buckets"))));
}

void fleet_put_views(struct mb_buf *sql, enum fleet_dialect dialect,
                     const struct fleet_place *place)
{
    const struct fleet_blanks blanks = {.place = place};

    for (size_t i = 0; dialect <= FLEET_CLICKHOUSE && i < FLEET_VIEW_COUNT; i++) {
        const struct fleet_view *view = &fleet_views[dialect][i];
        if (!is_asked(place, view->folder)) {
            continue;
        }
        fleet_put_sql(sql, dialect, has_files(place, dialect, view) ? view->there : view->absent,
                      &blanks);
    }
}
