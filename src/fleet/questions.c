#include "fleet/questions.h"

#include "base/platform_system.h"
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

/* So many days before it. */
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

/* Names of files are patterns for these engines. */
static void put_place(struct mb_buf *sql, enum fleet_dialect dialect, const char *lake,
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

void fleet_put_views(struct mb_buf *sql, enum fleet_dialect dialect, const char *lake)
{
    static const char *const starts[] = {
        [FLEET_DUCKDB] = "CREATE TEMP VIEW %s AS SELECT * FROM read_parquet(",
        [FLEET_SPARK] = "CREATE OR REPLACE TEMPORARY VIEW %s USING parquet OPTIONS (path ",
        [FLEET_CLICKHOUSE] = "CREATE VIEW %s AS SELECT * FROM file(",
    };
    static const char *const ends[] = {
        [FLEET_DUCKDB] = ", hive_partitioning = true, hive_types_autocast = false);\n",
        [FLEET_SPARK] = ");\n",
        [FLEET_CLICKHOUSE] = ", Parquet);\n",
    };

    for (size_t i = 0; dialect <= FLEET_CLICKHOUSE && fleet_lake_table(i) != NULL; i++) {
        struct mb_text start = mb_text_of(starts[dialect]);
        struct mb_text head = mb_text_split(&start, '%');
        mb_buf_put(sql, head.data, head.size);
        mb_buf_put_string(sql, fleet_lake_table(i));
        mb_buf_put(sql, start.data + 1, start.size - 1);
        put_place(sql, dialect, lake, fleet_lake_table(i));
        mb_buf_put_string(sql, ends[dialect]);
    }
}
