#include "fleet/questions.h"

#include "base/file.h"
#include "base/platform_system.h"
#include "fleet/folder.h"
#include "fleet/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define DAY_S 86400

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

/* The date that is before days earlier than day. */
static void put_day(struct mb_buf *sql, const char *day, int before)
{
    struct tm date = {0};
    char text[16] = "1970-01-01";

    if (sscanf(day, "%4d-%2d-%2d", &date.tm_year, &date.tm_mon, &date.tm_mday) == 3) {
        date.tm_year -= 1900;
        date.tm_mon -= 1;
        if (mb_time_to_utc(mb_time_from_utc(&date) - (int64_t)before * DAY_S, &date)) {
            (void)strftime(text, sizeof(text), "%Y-%m-%d", &date);
        }
    }
    mb_buf_printf(sql, "'%s'", text);
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
    } else {
        mb_buf_printf(sql, "%" PRIu64, blanks->top);
    }
}

void fleet_put_question(struct mb_buf *sql, enum fleet_dialect dialect,
                        const struct fleet_question *question, const struct fleet_blanks *blanks)
{
    struct mb_text rest = mb_text_of(question->sql);

    while (rest.size > 0) {
        struct mb_text part = mb_text_split(&rest, '{');
        mb_buf_put(sql, part.data, part.size);
        if (rest.size > 0) {
            put_blank(sql, dialect, mb_text_split(&rest, '}'), blanks);
        }
    }
}

/* ---- Tables ---- */

/* Names of files are patterns for these engines. */
static void put_path(struct mb_buf *sql, enum fleet_dialect dialect, const char *lake,
                     const char *table)
{
    struct mb_buf path = {0};

    mb_buf_printf(&path, "%s%s%s%s", lake, *lake != '\0' ? "/" : "", table,
                  dialect == FLEET_SPARK ? "" : "/day=*/*.parquet");
    mb_buf_put_u1(&path, '\0');
    if (!path.failed) {
        put_literal(sql, dialect, (const char *)path.bytes);
    }
    mb_buf_finish_part(sql, &path);
}

const char *fleet_type_name(enum fleet_dialect dialect, enum fleet_type type)
{
    static const char *const names[][FLEET_NUMBERS + 1] = {
        [FLEET_DUCKDB] = {"VARCHAR", "BIGINT", "DOUBLE", "VARCHAR[]", "MAP(VARCHAR, VARCHAR)",
                          "BIGINT[]"},
        [FLEET_SPARK] = {"STRING", "BIGINT", "DOUBLE", "ARRAY<STRING>", "MAP<STRING, STRING>",
                         "ARRAY<BIGINT>"},
        [FLEET_CLICKHOUSE] = {"Nullable(String)", "Nullable(Int64)", "Nullable(Float64)",
                              "Array(String)", "Map(String, String)", "Array(Int64)"},
    };

    return names[dialect][type];
}

/* No row, of all columns. */
static void put_nothing(struct mb_buf *sql, enum fleet_dialect dialect,
                        const struct fleet_schema *schema)
{
    mb_buf_put_string(sql, "SELECT ");
    for (size_t i = 0; i < schema->count; i++) {
        mb_buf_printf(sql, "CAST(NULL AS %s) AS %s, ",
                      fleet_type_name(dialect, schema->columns[i].type),
                      schema->columns[i].name.data);
    }
    mb_buf_printf(sql, "CAST(NULL AS %s) AS day WHERE 1 = 0", fleet_type_name(dialect, FLEET_TEXT));
}

static void put_view(struct mb_buf *sql, enum fleet_dialect dialect,
                     const struct fleet_schema *schema, const struct fleet_place *place)
{
    char path[FLEET_PATH_SIZE];

    (void)snprintf(path, sizeof(path), "%s/%s", place->folder, schema->name);
    bool is_there = mb_file_is_there(path);
    mb_buf_printf(sql, "CREATE%s VIEW %s",
                  dialect == FLEET_SPARK    ? " OR REPLACE TEMPORARY"
                  : dialect == FLEET_DUCKDB ? " TEMP"
                                            : "",
                  schema->name);
    if (dialect == FLEET_SPARK && is_there) {
        mb_buf_put_string(sql, " USING parquet OPTIONS (mergeSchema 'true', path ");
        put_path(sql, dialect, place->path, schema->name);
        mb_buf_put_string(sql, ")");
    } else if (dialect == FLEET_CLICKHOUSE && is_there) {
        mb_buf_put_string(sql, " AS SELECT * FROM file(");
        put_path(sql, dialect, place->path, schema->name);
        mb_buf_put_string(sql, ", Parquet)");
    } else {
        mb_buf_put_string(sql, " AS ");
        put_nothing(sql, dialect, schema);
    }
    if (dialect == FLEET_DUCKDB && is_there) {
        mb_buf_put_string(sql, " UNION ALL BY NAME SELECT * EXCLUDE (filename) FROM read_parquet(");
        put_path(sql, dialect, place->path, schema->name);
        mb_buf_put_string(sql, ", hive_partitioning = true, hive_types_autocast = false, "
                               "union_by_name = true, filename = true)");
        if (place->loads->size > 0) {
            mb_buf_printf(sql, " WHERE parse_filename(filename, true) IN (%.*s)",
                          (int)place->loads->size, (const char *)place->loads->bytes);
        }
    }
    mb_buf_put_string(sql, ";\n");
}

void fleet_put_views(struct mb_buf *sql, enum fleet_dialect dialect,
                     const struct fleet_place *place)
{
    static const char *const buckets[] = {
        [FLEET_DUCKDB] = "CREATE TEMP VIEW buckets AS SELECT * EXCLUDE (bucket_list, n_list), "
                         "unnest(bucket_list) AS bucket, unnest(n_list) AS n FROM sums;\n",
        [FLEET_SPARK] =
            "CREATE OR REPLACE TEMPORARY VIEW buckets AS SELECT s.*, bucket, n FROM "
            "sums s LATERAL VIEW inline(arrays_zip(bucket_list, n_list)) AS bucket, n;\n",
        [FLEET_CLICKHOUSE] =
            "CREATE VIEW buckets AS SELECT * EXCEPT (bucket_list, n_list), bucket, "
            "n FROM sums ARRAY JOIN bucket_list AS bucket, n_list AS n;\n",
    };

    if (dialect <= FLEET_CLICKHOUSE) {
        for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
            put_view(sql, dialect, &fleet_schemas[i], place);
        }
        mb_buf_put_string(sql, buckets[dialect]);
    }
}
