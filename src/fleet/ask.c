#include "fleet/ask.h"

#include "base/json.h"
#include "base/number.h"
#include "base/value.h"
#include "fleet/lake.h"
#include "fleet/schema.h"

#include <stdio.h>

#define RELEASES                                                                           \
    "SELECT app_release AS name FROM sessions WHERE app_release IS NOT NULL GROUP BY ALL " \
    "HAVING count(*) * 100 >= (SELECT count(*) FROM sessions);\n"
#define CELL_SIZE 512

/* What the engine said. Zeroed memory can be finished. */
struct said {
    struct mb_buf text;
    struct mb_reader reader;
    const struct mb_value *rows; /* a list of objects */
};

static void finish_said(struct said *said)
{
    mb_reader_finish(&said->reader);
    mb_buf_finish(&said->text);
}

/* Without rows DuckDB prints nothing, or an empty list. */
static enum mb_status parse_said(struct said *said, struct mb_error *err)
{
    struct mb_text text =
        mb_text_trim((struct mb_text){(const char *)said->text.bytes, said->text.size});
    bool has_rows = text.size > 0 && !mb_text_is(text, "[{]");

    said->rows = mb_reader_read(&said->reader, has_rows ? text : MB_TEXT("[]"));
    if (mb_value_is(said->rows, MB_JSON_LIST)) {
        return MB_OK;
    }
    return mb_reader_failed(&said->reader)
               ? mb_fail_memory(err)
               : mb_fail(err, MB_IO, MB_NO_OFFSET, "the engine's answer is not JSON");
}

static enum mb_status run_sql(const struct fleet_engine *engine, const struct mb_buf *sql,
                              struct said *said, struct mb_error *err)
{
    enum mb_status status = fleet_engine_run(engine, sql, &said->text, err);

    return status == MB_OK ? parse_said(said, err) : status;
}

/* ---- Releases ---- */

/* The digits that text begins with, without zeroes before them; else its first byte. */
static struct mb_text split_number(struct mb_text *text)
{
    size_t size = 0;

    while (size < text->size && mb_is_digit(text->data[size])) {
        size++;
    }
    struct mb_text part = {text->data, size > 0 ? size : 1};
    *text = mb_text_from(*text, part.size);
    while (part.size > 1 && part.data[0] == '0') {
        part = mb_text_from(part, 1);
    }
    return part;
}

/* 5.10 is newer than 5.9: numbers as numbers, the rest as bytes. */
static int compare_releases(struct mb_text a, struct mb_text b)
{
    while (a.size > 0 && b.size > 0) {
        struct mb_text x = split_number(&a);
        struct mb_text y = split_number(&b);
        int order = mb_text_compare(x, y);
        if (x.size != y.size && mb_is_digit(x.data[0]) && mb_is_digit(y.data[0])) {
            return x.size < y.size ? -1 : 1;
        }
        if (order != 0) {
            return order;
        }
    }
    return mb_text_compare(a, b);
}

static void pick_newest(const struct mb_value *rows, struct mb_text *older, struct mb_text *newer)
{
    for (MB_EACH_VALUE(row, rows)) {
        const struct mb_value *name = mb_value_get(row, "name");
        if (!mb_value_is(name, MB_JSON_STRING)) {
            continue;
        }
        if (newer->data == NULL || compare_releases(name->text, *newer) > 0) {
            *older = *newer;
            *newer = name->text;
        } else if (older->data == NULL || compare_releases(name->text, *older) > 0) {
            *older = name->text;
        }
    }
}

/* The tables of the lake, as they were when its loads were listed: a load that ends later is not
 * there yet for any of them. */
static enum mb_status put_lake(struct mb_buf *sql, const struct fleet_engine *engine,
                               struct mb_error *err)
{
    const struct mb_buf *loads = &engine->loads;

    MB_TRY(mb_buf_check(loads, err));
    if (loads->size == 0) {
        return mb_fail_in(err, MB_IO, engine->folder,
                          "there is no load: methodbeat fleet load makes one");
    }
    fleet_put_views(sql, FLEET_DUCKDB,
                    &(struct fleet_place){.folder = engine->folder, .path = "", .loads = loads});
    return MB_OK;
}

/* For free(); NULL when out of memory. */
static char *copy_text(struct mb_text text)
{
    char *copy = malloc(text.size + 1);

    if (copy != NULL) {
        (void)snprintf(copy, text.size + 1, "%.*s", (int)text.size, text.data);
    }
    return copy;
}

enum mb_status fleet_find_releases(const struct fleet_engine *engine, char **older, char **newer,
                                   struct mb_error *err)
{
    struct mb_text two[2] = {{NULL, 0}, {NULL, 0}};
    struct mb_buf sql = {0};
    struct said said = {.rows = NULL};

    enum mb_status status = put_lake(&sql, engine, err);
    mb_buf_put_string(&sql, RELEASES);
    if (status == MB_OK) {
        status = run_sql(engine, &sql, &said, err);
    }
    mb_buf_finish(&sql);
    pick_newest(said.rows, &two[0], &two[1]);
    if (status == MB_OK && two[0].data == NULL) {
        status = mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET,
                         "no two releases have sessions: name them with --old and --new");
    } else if (status == MB_OK) {
        *older = copy_text(two[0]);
        *newer = copy_text(two[1]);
        status = *older != NULL && *newer != NULL ? MB_OK : mb_fail_memory(err);
    }
    finish_said(&said);
    return status;
}

/* ---- Text ---- */

static void put_value(struct mb_buf *out, const struct mb_value *value)
{
    if (mb_value_is(value, MB_JSON_STRING)) {
        struct mb_text text = value->text;
        text.size = (size_t)mb_min_u64(text.size, CELL_SIZE);
        mb_buf_put_printable(out, text);
    } else if (mb_value_is(value, MB_JSON_INTEGER)) {
        mb_buf_printf(out, "%" PRId64, value->integer);
    } else if (mb_value_is(value, MB_JSON_REAL)) {
        mb_buf_printf(out, "%.10g", value->real);
    } else {
        mb_buf_put_u1(out, '-');
    }
}

static size_t width_of(const struct mb_value *rows, struct mb_text column)
{
    struct mb_buf cell = {0};
    size_t width = column.size;

    for (MB_EACH_VALUE(row, rows)) {
        mb_buf_reset(&cell);
        put_value(&cell, mb_value_find(row, column));
        width = (size_t)mb_max_u64(width, cell.size);
    }
    mb_buf_finish(&cell);
    return width;
}

/* Numbers to the right; the last text ends the line. */
static void put_cell(struct mb_buf *out, struct mb_buf *cell, size_t width, bool is_number)
{
    const char *text = (const char *)cell->bytes;

    if (!cell->failed) {
        mb_buf_printf(out, is_number ? "%*.*s  " : "%-*.*s  ", (int)width, (int)cell->size,
                      text != NULL ? text : "");
    }
    mb_buf_fail_with(out, cell);
    mb_buf_reset(cell);
}

static void put_row(struct mb_buf *out, const struct mb_value *first, const struct mb_value *row,
                    const size_t *widths)
{
    struct mb_buf cell = {0};
    size_t column = 0;

    for (MB_EACH_VALUE(member, first)) {
        if (row != NULL) {
            put_value(&cell, mb_value_find(row, member->key));
        } else {
            mb_buf_put(&cell, member->key.data, member->key.size);
        }
        put_cell(out, &cell, widths[column++], !mb_value_is(member, MB_JSON_STRING));
    }
    while (!out->failed && out->size > 0 && out->bytes[out->size - 1] == ' ') {
        out->size--;
    }
    mb_buf_put_u1(out, '\n');
    mb_buf_finish(&cell);
}

static void put_table(struct mb_buf *out, const struct mb_value *rows)
{
    const struct mb_value *first = mb_value_first(rows);
    MB_VEC(size_t) widths = {0};

    for (MB_EACH_VALUE(column, first)) {
        MB_VEC_PUSH(&widths, width_of(rows, column->key));
    }
    if (first == NULL) {
        mb_buf_put_string(out, "nothing found\n");
    } else if (!widths.buf.failed) {
        put_row(out, first, NULL, widths.items);
        for (MB_EACH_VALUE(row, rows)) {
            put_row(out, first, row, widths.items);
        }
    }
    mb_buf_fail_with(out, &widths.buf);
    mb_buf_finish(&widths.buf);
}

/* ---- All ---- */

static enum mb_status put_object(struct mb_buf *out, const struct fleet_question *question,
                                 const struct fleet_blanks *blanks, const struct mb_value *rows,
                                 struct mb_error *err)
{
    struct mb_json json = {.out = out};

    mb_json_open(&json, NULL, "{");
    mb_json_string(&json, "question", question->name);
    if (question->compares) {
        mb_json_string(&json, "old", blanks->old_release);
        mb_json_string(&json, "new", blanks->new_release);
    }
    mb_json_key(&json, "rows");
    mb_buf_put_value(out, rows);
    mb_json_end(&json);
    return mb_buf_check(out, err);
}

enum mb_status fleet_ask(const struct fleet_engine *engine, const struct fleet_question *question,
                         const struct fleet_blanks *blanks, struct fleet_answer *answer,
                         struct mb_error *err)
{
    struct mb_buf sql = {0};
    struct said said = {.rows = NULL};

    enum mb_status status = put_lake(&sql, engine, err);
    fleet_put_sql(&sql, FLEET_DUCKDB, question->sql, blanks);
    mb_buf_put_string(&sql, ";\n");
    if (status == MB_OK) {
        status = run_sql(engine, &sql, &said, err);
    }
    mb_buf_finish(&sql);
    answer->rows = mb_value_count(said.rows);
    if (status == MB_OK && answer->format == FLEET_AS_JSON) {
        status = put_object(&answer->text, question, blanks, said.rows, err);
    } else if (status == MB_OK) {
        put_table(&answer->text, said.rows);
        status = mb_buf_check(&answer->text, err);
    }
    finish_said(&said);
    return status;
}
