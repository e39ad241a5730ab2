#include "issues/fleet/columns.h"

#include "base/clock.h"

#define MOST_TEXT 1024u

const char *const fleet_refusal_words[FLEET_REFUSAL_COUNT] = {
    [FLEET_LONG_TEXT] = "texts were cut off: longer than 1024 bytes",
    [FLEET_OTHER_TYPE] = "members were left out: of another type",
    [FLEET_OUT_OF_RANGE] = "numbers were left out: out of range",
    [FLEET_ODD_TIME] = "times were left out: before 2000 or in the future",
    [FLEET_OTHER_SCHEMA] = "objects were left out: of another schema",
    [FLEET_NO_ISSUE] = "objects were left out: neither an issue nor sums of a session",
};

/* The start of a text that ends with a whole character. */
static struct mb_text cut_text(struct mb_text text)
{
    if (text.size > MOST_TEXT) {
        text.size = MOST_TEXT;
        while (text.size > 0 && ((unsigned char)text.data[text.size] & 0xc0) == 0x80) {
            text.size--;
        }
    }
    return text;
}

void fleet_take_cut(const struct fleet_columns *columns, const char *column, struct mb_text text)
{
    struct mb_text cut = cut_text(text);

    columns->refused[FLEET_LONG_TEXT] += cut.size < text.size;
    fleet_put_text(columns->row, column, cut);
}

/* The member, if it has the wanted type: a bit set of 1 << mb_json_kind. */
static const struct mb_value *get_member(const struct fleet_columns *columns,
                                         const struct mb_value *object, const char *member,
                                         unsigned types)
{
    const struct mb_value *value = mb_value_get(object, member);

    if (value == NULL || mb_value_is(value, MB_JSON_NULL)) {
        return NULL;
    }
    if ((types >> value->kind & 1) == 0) {
        columns->refused[FLEET_OTHER_TYPE]++;
        return NULL;
    }
    return value;
}

void fleet_take_text(const struct fleet_columns *columns, const char *column,
                     const struct mb_value *object, const char *member)
{
    const struct mb_value *value = get_member(columns, object, member, 1u << MB_JSON_STRING);

    if (value != NULL) {
        fleet_take_cut(columns, column, value->text);
    }
}

void fleet_take_number(const struct fleet_columns *columns, const char *column,
                       const struct mb_value *object, const char *member)
{
    const struct mb_value *value = get_member(columns, object, member, 1u << MB_JSON_INTEGER);
    int64_t number = mb_value_integer(value);

    if (value == NULL) {
        return;
    }
    if (number < 0 || number > FLEET_RANGE) {
        columns->refused[FLEET_OUT_OF_RANGE]++;
        return;
    }
    mb_json_number(columns->row, column, number);
}

void fleet_take_level(const struct fleet_columns *columns, const char *column,
                      const struct mb_value *object, const char *member)
{
    const struct mb_value *value = get_member(columns, object, member, 1u << MB_JSON_STRING);
    struct mb_text text = mb_value_text(value);
    uint64_t level;

    if (value != NULL && mb_text_to_number(mb_text_split(&text, '.'), UINT32_MAX, &level)) {
        mb_json_count(columns->row, column, level);
    }
}

void fleet_take_flag(const struct fleet_columns *columns, const char *column,
                     const struct mb_value *object, const char *member)
{
    const struct mb_value *value =
        get_member(columns, object, member, 1u << MB_JSON_TRUE | 1u << MB_JSON_FALSE);

    if (value != NULL) {
        mb_json_number(columns->row, column, mb_value_is(value, MB_JSON_TRUE));
    }
}

static void take_real(const struct fleet_columns *columns, const char *column,
                      const struct mb_value *object, const char *member, double unit)
{
    const struct mb_value *value =
        get_member(columns, object, member, 1u << MB_JSON_INTEGER | 1u << MB_JSON_REAL);
    double number = mb_value_number(value);

    if (value == NULL) {
        return;
    }
    if (!(number >= 0 && number <= (double)FLEET_RANGE)) {
        columns->refused[FLEET_OUT_OF_RANGE]++;
        return;
    }
    fleet_put_real(columns->row, column, number / unit);
}

void fleet_take_ns(const struct fleet_columns *columns, const char *column,
                   const struct mb_value *object, const char *member)
{
    take_real(columns, column, object, member, MB_NS_PER_MS);
}

void fleet_take_ms(const struct fleet_columns *columns, const char *column,
                   const struct mb_value *object, const char *member)
{
    take_real(columns, column, object, member, 1);
}

void fleet_take_time(const struct fleet_columns *columns, const char *column,
                     const struct mb_value *object, const char *member)
{
    const struct mb_value *value = get_member(columns, object, member, 1u << MB_JSON_INTEGER);
    int64_t ms = mb_value_integer(value);

    if (value == NULL) {
        return;
    }
    if (ms < FLEET_EARLIEST_MS || ms > columns->latest_ms) {
        columns->refused[FLEET_ODD_TIME]++;
        return;
    }
    mb_json_number(columns->row, column, ms);
}
