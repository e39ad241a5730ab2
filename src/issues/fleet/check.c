#include "issues/fleet/check.h"

#include "base/json.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#define TEXT_MOST ((size_t)64 << 10)
#define NUMBER_MOST 32 /* characters */

const char *const fleet_doubt_words[FLEET_DOUBT_COUNT] = {
    "rows that are not JSON",        "rows of another table",
    "rows that are too long",        "columns that are not known",
    "values of another type",        "texts that are too long",
    "numbers that are out of range", "times before 2000 or in the future",
};

struct cursor {
    const char *at;
    const char *end;
};

static void skip_space(struct cursor *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == '\r')) {
        in->at++;
    }
}

static bool skip_char(struct cursor *in, char c)
{
    skip_space(in);
    if (in->at == in->end || *in->at != c) {
        return false;
    }
    in->at++;
    return true;
}

/* To its closing quote. Plain ASCII needs no further look. */
static bool skip_string(struct cursor *in)
{
    const char *start = in->at;
    const char *at = start + 1;
    bool is_plain = true;

    for (; at < in->end && *at != '"'; at++) {
        unsigned char c = (unsigned char)*at;
        is_plain = is_plain && c >= 0x20 && c < 0x7f && c != '\\';
        at += c == '\\' && in->end - at > 1;
    }
    in->at = at + (at < in->end);
    return at < in->end &&
           (is_plain || mb_json_is_value((struct mb_text){start, (size_t)(in->at - start)}));
}

/* A list of strings only; false with the cursor anywhere. */
static bool skip_names(struct cursor *in)
{
    in->at++;
    if (skip_char(in, ']')) {
        return true;
    }
    do {
        skip_space(in);
        if (in->at == in->end || *in->at != '"' || !skip_string(in)) {
            return false;
        }
    } while (skip_char(in, ','));
    return skip_char(in, ']');
}

/* A hash of 64 bits may have a digit more than mb_json_is_value takes. */
static bool is_integer(struct mb_text text)
{
    struct mb_text digits = mb_text_from(text, text.size > 1 && text.data[0] == '-');
    uint64_t number;

    return digits.size > 1 && digits.data[0] != '0' &&
           mb_text_to_number(digits, INT64_MAX, &number);
}

/* What is in brackets, or a number or word. */
static bool skip_other(struct cursor *in)
{
    const char *start = in->at;
    size_t depth = 0;

    while (in->at < in->end) {
        char c = *in->at;
        if (depth == 0 && (c == ',' || c == '}' || c == ' ')) {
            break;
        }
        if (c == '"') {
            if (!skip_string(in)) {
                return false;
            }
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= depth > 0 && (c == '}' || c == ']');
        in->at++;
    }
    struct mb_text text = {start, (size_t)(in->at - start)};
    return is_integer(text) || mb_json_is_value(text);
}

static bool skip_value(struct cursor *in, bool *is_names)
{
    struct cursor names = *in;

    *is_names = in->at < in->end && *in->at == '[' && skip_names(&names);
    if (*is_names) {
        in->at = names.at;
        return true;
    }
    return in->at < in->end && (*in->at == '"' ? skip_string(in) : skip_other(in));
}

/* ---- Values ---- */

static bool is_hash(struct mb_text name)
{
    return mb_text_is(name, "cause") || mb_text_is(name, "cause4") || mb_text_is(name, "path") ||
           mb_text_is(name, "parent") || mb_text_is(name, "method");
}

/* FLEET_DOUBT_COUNT: without a doubt. */
static enum fleet_doubt check_integer(const struct fleet_checker *checker,
                                      const struct fleet_column *column, struct mb_text value)
{
    bool is_negative = value.data[0] == '-';
    struct mb_text digits = mb_text_from(value, is_negative);
    uint64_t number = 0;

    for (size_t i = 0; i < digits.size; i++) {
        if (!isdigit((unsigned char)digits.data[i])) {
            return FLEET_NOT_TYPE;
        }
    }
    if (!mb_text_to_number(digits, INT64_MAX, &number)) {
        return FLEET_BEYOND_RANGE;
    }
    if (mb_text_is(column->name, "ts")) {
        bool is_odd = is_negative || (int64_t)number < FLEET_EARLIEST_MS ||
                      (int64_t)number > checker->latest_ms;
        return is_odd ? FLEET_BEYOND_TIME : FLEET_DOUBT_COUNT;
    }
    return number <= FLEET_RANGE || is_hash(column->name) ? FLEET_DOUBT_COUNT : FLEET_BEYOND_RANGE;
}

static enum fleet_doubt check_real(struct mb_text value)
{
    char text[NUMBER_MOST + 1] = "";

    if (value.size > NUMBER_MOST) {
        return FLEET_BEYOND_RANGE;
    }
    memcpy(text, value.data, value.size);
    double number = strtod(text, NULL);
    return number >= 0 && number <= (double)FLEET_RANGE ? FLEET_DOUBT_COUNT : FLEET_BEYOND_RANGE;
}

/* A list of numbers of at most 15 digits. */
static bool is_numbers(struct mb_text value)
{
    size_t digits = 0;

    for (size_t i = 1; i + 1 < value.size; i++) {
        bool is_digit = isdigit((unsigned char)value.data[i]) != 0;
        digits = is_digit ? digits + 1 : 0;
        if ((!is_digit && strchr(", ", value.data[i]) == NULL) || digits > 15) {
            return false;
        }
    }
    return value.data[0] == '[';
}

static bool is_list_of(const struct fleet_checker *checker, enum fleet_table table,
                       struct mb_text value);

static bool is_of_type(const struct fleet_checker *checker, enum fleet_type type,
                       struct mb_text value, bool is_names)
{
    switch (type) {
    case FLEET_NUMBERS:
        return is_numbers(value);
    case FLEET_NAMES:
        return is_names;
    case FLEET_SUMS:
        return is_list_of(checker, FLEET_TABLE_sums, value);
    case FLEET_COUNTS:
        return is_list_of(checker, FLEET_TABLE_counts, value);
    default:
        return value.data[0] == (type == FLEET_TEXT ? '"' : '{');
    }
}

static enum fleet_doubt check_value(const struct fleet_checker *checker,
                                    const struct fleet_column *column, struct mb_text value,
                                    bool is_names)
{
    bool is_number = isdigit((unsigned char)value.data[0]) || value.data[0] == '-';

    if (column->type != FLEET_INTEGER && column->type != FLEET_REAL) {
        bool is_long = value.size > TEXT_MOST && column->type < FLEET_SUMS;
        return !is_of_type(checker, column->type, value, is_names) ? FLEET_NOT_TYPE
               : is_long                                           ? FLEET_BEYOND_TEXT
                                                                   : FLEET_DOUBT_COUNT;
    }
    if (!is_number) {
        return FLEET_NOT_TYPE;
    }
    return column->type == FLEET_REAL ? check_real(value) : check_integer(checker, column, value);
}

/* ---- Lines ---- */

struct row {
    const struct fleet_schema *schema; /* NULL: of the last line */
    uint64_t seen;                     /* columns, a bit each */
    size_t next;                       /* column, if they come in order */
};

static const struct fleet_column *find_column(struct row *row, struct mb_text name)
{
    const struct fleet_schema *schema = row->schema;
    size_t at = row->next;

    for (size_t left = schema->count; left > 0; left--, at++) {
        at = at < schema->count ? at : 0;
        if (mb_text_equal(schema->columns[at].name, name)) {
            bool is_double = (row->seen >> at & 1) != 0;
            row->seen |= UINT64_C(1) << at;
            row->next = at + 1;
            return is_double ? NULL : &schema->columns[at];
        }
    }
    return NULL;
}

/* key to value: from the quote of its name to its end. */
static void take_member(struct fleet_checker *checker, struct row *row, struct mb_text name,
                        struct mb_text value, bool is_names)
{
    if (row->schema == NULL) {
        if (mb_text_is(name, FLEET_ROWS_KEY)) {
            (void)mb_text_to_number(value, INT64_MAX, &checker->rows);
        } else if (mb_text_is(name, FLEET_SCHEMA_KEY)) {
            (void)mb_text_to_number(value, INT64_MAX, &checker->schema);
        }
        return;
    }
    const struct fleet_column *column = find_column(row, name);
    if (mb_text_is(value, "null")) {
        return;
    }
    enum fleet_doubt doubt =
        column != NULL ? check_value(checker, column, value, is_names) : FLEET_NO_COLUMN;
    if (doubt != FLEET_DOUBT_COUNT) {
        checker->doubts[doubt]++;
        return;
    }
    mb_buf_put_u1(&checker->row, ',');
    mb_buf_put(&checker->row, name.data - 1, (size_t)(value.data + value.size - name.data) + 1);
}

static bool next_name(struct cursor *in, struct mb_text *name)
{
    skip_space(in);
    const char *start = in->at;
    if (start == in->end || *start != '"' || !skip_string(in)) {
        return false;
    }
    *name = (struct mb_text){start + 1, (size_t)(in->at - start) - 2};
    return skip_char(in, ':');
}

static bool next_member(struct cursor *in, struct mb_text *name, struct mb_text *value,
                        bool *is_names)
{
    if (!next_name(in, name)) {
        return false;
    }
    skip_space(in);
    value->data = in->at;
    if (!skip_value(in, is_names)) {
        return false;
    }
    value->size = (size_t)(in->at - value->data);
    return true;
}

/* After the date, as what lists have. */
static bool is_of_item(const struct fleet_schema *schema, const struct fleet_column *column)
{
    while (column > schema->columns && !mb_text_is(column[-1].name, "date")) {
        column--;
    }
    return column > schema->columns;
}

static bool take_item(const struct fleet_checker *checker, enum fleet_table table,
                      struct cursor *in)
{
    const struct fleet_schema *schema = &fleet_schemas[table];
    struct row row = {.schema = schema};
    struct mb_text name;
    struct mb_text value;
    bool is_names;

    if (!skip_char(in, '{')) {
        return false;
    }
    if (skip_char(in, '}')) {
        return true;
    }
    do {
        if (!next_member(in, &name, &value, &is_names)) {
            return false;
        }
        const struct fleet_column *column = find_column(&row, name);
        if (column == NULL || !is_of_item(schema, column) ||
            check_value(checker, column, value, is_names) != FLEET_DOUBT_COUNT) {
            return false;
        }
    } while (skip_char(in, ','));
    return skip_char(in, '}');
}

static bool is_list_of(const struct fleet_checker *checker, enum fleet_table table,
                       struct mb_text value)
{
    struct cursor in = {value.data, value.data + value.size};

    if (!skip_char(&in, '[') || skip_char(&in, ']')) {
        return value.data[0] == '[';
    }
    do {
        if (!take_item(checker, table, &in)) {
            return false;
        }
    } while (skip_char(&in, ','));
    return skip_char(&in, ']');
}

/* FLEET_NO_ROW if the first member names no table. */
static int find_table(struct mb_text name, struct mb_text value)
{
    if (!mb_text_is(name, FLEET_TABLE_KEY) || value.size < 2 || value.data[0] != '"') {
        return FLEET_NO_ROW;
    }
    value = (struct mb_text){value.data + 1, value.size - 2};
    for (int i = 0; i < FLEET_TABLE_COUNT; i++) {
        if (mb_text_is(value, fleet_schemas[i].name)) {
            return i;
        }
    }
    return mb_text_is(value, FLEET_END) ? FLEET_LAST_LINE : FLEET_NO_ROW;
}

static int refuse_row(struct fleet_checker *checker, enum fleet_doubt doubt)
{
    checker->doubts[doubt]++;
    return FLEET_NO_ROW;
}

int fleet_check_line(struct fleet_checker *checker, struct mb_text line)
{
    struct cursor in = {line.data, line.data + line.size};
    struct row row = {.schema = NULL};
    struct mb_text name;
    struct mb_text value;
    bool is_names;

    mb_buf_reset(&checker->row);
    if (!skip_char(&in, '{') || !next_member(&in, &name, &value, &is_names)) {
        return refuse_row(checker, FLEET_NOT_JSON);
    }
    int table = find_table(name, value);
    if (table == FLEET_NO_ROW) {
        return refuse_row(checker, FLEET_NO_TABLE);
    }
    row.schema = table < FLEET_TABLE_COUNT ? &fleet_schemas[table] : NULL;
    while (skip_char(&in, ',')) {
        if (!next_member(&in, &name, &value, &is_names)) {
            return refuse_row(checker, FLEET_NOT_JSON);
        }
        take_member(checker, &row, name, value, is_names);
    }
    bool is_whole = skip_char(&in, '}');
    skip_space(&in);
    return is_whole && in.at == in.end ? table : refuse_row(checker, FLEET_NOT_JSON);
}
