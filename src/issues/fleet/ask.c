#include "issues/fleet/ask.h"

#include "base/json.h"
#include "base/number.h"
#include "base/value.h"
#include "issues/fleet/lake.h"
#include "issues/fleet/schema.h"

#include <stdio.h>

#define RELEASES_MOST 100000
#define PERCENT 1.0 /* of an app's devices: which of its releases are compared by default */
#define CELL_SIZE 512
#define TWO_WEEKS 14u /* which some questions look at, whatever --days says */

/* ---- Releases ---- */

enum kind { BEFORE, END, WORD, NUMBER };

/* A run of digits, without zeroes before them, or of letters. */
struct part {
    enum kind kind;
    struct mb_text text;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_before(struct mb_text word)
{
    static const char *const words[] = {"alpha",    "beta",     "canary", "dev",     "ea",
                                        "m",        "nightly",  "pre",    "preview", "rc",
                                        "SNAPSHOT", "snapshot", "RC"};

    for (size_t i = 0; i < MB_COUNT(words); i++) {
        if (mb_text_is(word, words[i])) {
            return true;
        }
    }
    return false;
}

static struct part take_part(struct mb_text *text)
{
    size_t size = 0;

    while (text->size > 0 && !mb_is_digit(text->data[0]) && !is_letter(text->data[0])) {
        *text = mb_text_from(*text, 1);
    }
    bool is_number = text->size > 0 && mb_is_digit(text->data[0]);
    while (size < text->size &&
           (is_number ? mb_is_digit(text->data[size]) : is_letter(text->data[size]))) {
        size++;
    }
    struct part part = {is_number ? NUMBER : WORD, {text->data, size}};
    *text = mb_text_from(*text, size);
    while (is_number && part.text.size > 1 && part.text.data[0] == '0') {
        part.text = mb_text_from(part.text, 1);
    }
    part.kind = size == 0 ? END : !is_number && is_before(part.text) ? BEFORE : part.kind;
    return part;
}

/* 1.10 is newer than 1.9, and than 1.10-rc1; 1.10-hotfix and 1.10.1 are newer than 1.10. */
static int compare_versions(struct mb_text a, struct mb_text b)
{
    int order = 0;
    bool is_end = false;

    while (order == 0 && !is_end) {
        struct part x = take_part(&a);
        struct part y = take_part(&b);
        is_end = x.kind == END;
        order = x.kind != y.kind ? (x.kind < y.kind ? -1 : 1)
                : x.kind == NUMBER && x.text.size != y.text.size
                    ? (x.text.size < y.text.size ? -1 : 1)
                    : mb_text_compare(x.text, y.text);
    }
    return order;
}

/* Two numbers with a dot between them; what a commit or a build is called has none. */
static bool is_version(struct mb_text name)
{
    size_t at = name.size > 0 && (name.data[0] == 'v' || name.data[0] == 'V');
    size_t start = at;

    while (at < name.size && mb_is_digit(name.data[at])) {
        at++;
    }
    return at > start && at + 1 < name.size && name.data[at] == '.' &&
           mb_is_digit(name.data[at + 1]);
}

/* The releases of one app that enough devices have, oldest first by when they were seen. */
struct releases {
    MB_VEC(struct mb_text) names;
    struct mb_text app;
    bool are_versions;
    bool have_apps; /* more than one */
};

static void list_releases(struct releases *releases, const struct mb_value *rows)
{
    releases->are_versions = true;
    for (MB_EACH_VALUE(row, rows)) {
        struct mb_text app = mb_value_text(mb_value_get(row, "app"));
        struct mb_text name = mb_value_text(mb_value_get(row, "app_release"));
        const struct mb_value *percent = mb_value_get(row, "percent");
        if (!mb_value_is(percent, MB_JSON_REAL) || percent->real < PERCENT) {
            continue;
        }
        releases->have_apps = releases->have_apps || (MB_VEC_COUNT(&releases->names) > 0 &&
                                                      mb_text_compare(app, releases->app) != 0);
        releases->are_versions = releases->are_versions && is_version(name);
        releases->app = app;
        MB_VEC_PUSH(&releases->names, name);
    }
}

static int compare_names(const void *a, const void *b)
{
    return compare_versions(*(const struct mb_text *)a, *(const struct mb_text *)b);
}

/* The tables of the lake, as they were when its loads were listed: a load that ends later is not
 * there yet for any of them. */
static enum mb_status put_lake(struct mb_buf *sql, const struct fleet_engine *engine,
                               const char *question, const struct fleet_blanks *blanks,
                               struct mb_error *err)
{
    const struct mb_buf *loads = &engine->loads;
    fleet_day since;

    MB_TRY(mb_buf_check(loads, err));
    if (loads->size == 0) {
        return mb_fail_in(err, MB_IO, engine->folder, FLEET_NO_LOAD);
    }
    fleet_day_before(since, blanks->day, (int)mb_max_u64(blanks->days, TWO_WEEKS) - 1);
    fleet_put_views(
        sql, FLEET_DUCKDB,
        &(struct fleet_place){
            .folder = engine->folder, .path = "", .loads = loads, .since = since, .sql = question});
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

/* The two newest. */
static enum mb_status pick_newest(struct releases *releases, char **older, char **newer,
                                  struct mb_error *err)
{
    size_t count = MB_VEC_COUNT(&releases->names);

    MB_TRY(mb_buf_check(&releases->names.buf, err));
    if (releases->have_apps) {
        return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET,
                       "several apps are in the lake: name one with --where \"app = 'ID'\", or "
                       "releases with --old and --new");
    }
    if (count < 2) {
        return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET,
                       "no two releases have devices: name them with --old and --new");
    }
    if (releases->are_versions) {
        MB_VEC_SORT(&releases->names, compare_names);
    }
    *older = copy_text(releases->names.items[count - 2]);
    *newer = copy_text(releases->names.items[count - 1]);
    return *older != NULL && *newer != NULL ? MB_OK : mb_fail_memory(err);
}

static enum mb_status ask_rows(const struct fleet_engine *engine,
                               const struct fleet_question *question,
                               const struct fleet_blanks *blanks, struct fleet_said *said,
                               struct mb_error *err)
{
    struct mb_buf sql = {0};
    enum mb_status status = put_lake(&sql, engine, question->sql, blanks, err);

    fleet_put_sql(&sql, FLEET_DUCKDB, question->sql, blanks);
    mb_buf_put_string(&sql, ";\n");
    if (status == MB_OK) {
        status = fleet_engine_ask(engine, &sql, said, err);
    }
    mb_buf_finish(&sql);
    return status;
}

enum mb_status fleet_find_releases(const struct fleet_engine *engine,
                                   const struct fleet_blanks *blanks, char **older, char **newer,
                                   struct mb_error *err)
{
    struct fleet_blanks asked = *blanks;
    struct releases releases = {.have_apps = false};
    struct fleet_said said = {.rows = NULL};

    asked.top = RELEASES_MOST;
    enum mb_status status = ask_rows(engine, fleet_find_question("releases"), &asked, &said, err);
    list_releases(&releases, said.rows);
    if (status == MB_OK) {
        status = pick_newest(&releases, older, newer, err);
    }
    mb_buf_finish(&releases.names.buf);
    fleet_said_finish(&said);
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
    struct fleet_said said = {.rows = NULL};
    enum mb_status status = ask_rows(engine, question, blanks, &said, err);

    answer->rows = mb_value_count(said.rows);
    if (status == MB_OK && answer->format == FLEET_AS_JSON) {
        status = put_object(&answer->text, question, blanks, said.rows, err);
    } else if (status == MB_OK) {
        put_table(&answer->text, said.rows);
        status = mb_buf_check(&answer->text, err);
    }
    fleet_said_finish(&said);
    return status;
}

/* ---- The page ---- */

/* JSON within a script element, which no text in it may end. */
static void put_escaped(struct mb_buf *out, const struct mb_buf *json)
{
    for (size_t i = 0; i < json->size; i++) {
        if (json->bytes[i] == '<') {
            mb_buf_put_string(out, "\\u003c");
        } else {
            mb_buf_put_u1(out, json->bytes[i]);
        }
    }
}

static enum mb_status put_part(struct mb_json *json, const struct fleet_engine *engine,
                               const struct fleet_question *question,
                               const struct fleet_blanks *blanks, struct mb_error *err)
{
    struct fleet_answer answer = {.format = FLEET_AS_JSON};
    enum mb_status status = fleet_ask(engine, question, blanks, &answer, err);

    mb_json_key(json, question->name);
    mb_buf_put(json->out, answer.text.bytes, answer.text.size);
    mb_buf_finish_part(json->out, &answer.text);
    return status;
}

static enum mb_status put_data(struct mb_buf *data, const struct fleet_engine *engine,
                               const struct fleet_blanks *blanks, struct mb_error *err)
{
    struct mb_json json = {.out = data};
    struct fleet_blanks asked = *blanks;
    enum mb_status status = MB_OK;

    mb_json_open(&json, NULL, "{");
    mb_json_string(&json, "day", blanks->day);
    mb_json_string(&json, "old", blanks->old_release);
    mb_json_string(&json, "new", blanks->new_release);
    mb_json_string(&json, "where", blanks->where != NULL ? blanks->where : "");
    mb_json_open(&json, "answers", "{");
    for (size_t i = 0; status == MB_OK && i < fleet_question_count; i++) {
        const struct fleet_question *question = &fleet_questions[i];
        asked.top = question->page_rows > 0 ? (uint64_t)question->page_rows : blanks->top;
        if (question->page_rows >= 0) {
            status = put_part(&json, engine, question, &asked, err);
        }
    }
    mb_json_close(&json, "}");
    mb_json_end(&json);
    return status == MB_OK ? mb_buf_check(data, err) : status;
}

enum mb_status fleet_put_page(struct mb_buf *out, const struct fleet_engine *engine,
                              const struct fleet_blanks *blanks, struct mb_error *err)
{
    struct mb_buf data = {0};
    enum mb_status status = put_data(&data, engine, blanks, err);

    mb_buf_put_string(out, fleet_page_head);
    put_escaped(out, &data);
    mb_buf_put_string(out, fleet_page_tail);
    mb_buf_finish_part(out, &data);
    return status == MB_OK ? mb_buf_check(out, err) : status;
}
