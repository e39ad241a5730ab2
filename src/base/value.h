/* A JSON text (RFC 8259) as a tree of values. One reading after another uses the same memory. */

#ifndef BASE_VALUE_H
#define BASE_VALUE_H

#include "base/lexer.h"
#include "base/vec.h"

/* All that a text holds, in its order; key and text point into the text, or to where escapes of it
 * were undone. */
struct mb_value {
    enum mb_json_kind kind; /* up to MB_JSON_OBJECT */
    uint32_t span;          /* values, with itself and all within */
    struct mb_text key;     /* of a member */
    struct mb_text text;    /* of a string; spelling of the others */
    union {
        uint32_t count; /* of items or members */
        int64_t integer;
        double real;
    };
};

/* Zeroed memory is ready; after finish, too. */
struct mb_reader {
    MB_VEC(struct mb_value) values;
    struct mb_buf texts; /* without escapes */
    const char *wrong;   /* a clause: why the last text was refused */
    size_t offset;       /* and where */
};

/* Read a text that is one value. Borrows the text; what is returned lasts as the text does, and
 * until the next reading. NULL: mb_reader_failed tells memory from what is wrong with the text,
 * which is nested deeper than MB_JSON_DEPTH, has numbers that fit neither int64_t nor double, a
 * name with the character 0, more than a million values, or is not JSON. */
const struct mb_value *mb_reader_read(struct mb_reader *reader, struct mb_text text);

/* Reads the value that a text begins with and ignores what follows; *size becomes its size. */
const struct mb_value *mb_reader_read_first(struct mb_reader *reader, struct mb_text text,
                                            size_t *size);
void mb_reader_finish(struct mb_reader *reader);

static inline bool mb_reader_failed(const struct mb_reader *reader)
{
    return reader->values.buf.failed || reader->texts.failed;
}

/* A value may be NULL in all of these, as one that is absent. */

static inline bool mb_value_is(const struct mb_value *value, enum mb_json_kind kind)
{
    return value != NULL && value->kind == kind;
}

static inline bool mb_value_is_number(const struct mb_value *value)
{
    return mb_value_is(value, MB_JSON_INTEGER) || mb_value_is(value, MB_JSON_REAL);
}

static inline bool mb_value_is_flag(const struct mb_value *value)
{
    return mb_value_is(value, MB_JSON_TRUE) || mb_value_is(value, MB_JSON_FALSE);
}

/* Empty, or 0, of another type. */
static inline struct mb_text mb_value_text(const struct mb_value *value)
{
    return mb_value_is(value, MB_JSON_STRING) ? value->text : MB_TEXT("");
}

static inline int64_t mb_value_integer(const struct mb_value *value)
{
    return mb_value_is(value, MB_JSON_INTEGER) ? value->integer : 0;
}

static inline double mb_value_number(const struct mb_value *value)
{
    return mb_value_is(value, MB_JSON_REAL) ? value->real : (double)mb_value_integer(value);
}

/* Items of a list, or members of an object. */
static inline size_t mb_value_count(const struct mb_value *value)
{
    return mb_value_is(value, MB_JSON_LIST) || mb_value_is(value, MB_JSON_OBJECT) ? value->count
                                                                                  : 0;
}

/* The first item, and the item after another; NULL after the last. */
static inline const struct mb_value *mb_value_first(const struct mb_value *value)
{
    return mb_value_count(value) > 0 ? value + 1 : NULL;
}

static inline const struct mb_value *mb_value_next(const struct mb_value *value,
                                                   const struct mb_value *item)
{
    const struct mb_value *next = item != NULL ? item + item->span : NULL;

    return next != NULL && next < value + value->span ? next : NULL;
}

#define MB_EACH_VALUE(item, value)                       \
    const struct mb_value *item = mb_value_first(value); \
    (item) != NULL;                                      \
    (item) = mb_value_next(value, item)

/* The member of that name, of several the last; NULL if it is absent, or value is no object. */
const struct mb_value *mb_value_find(const struct mb_value *value, struct mb_text key);

static inline const struct mb_value *mb_value_get(const struct mb_value *value, const char *key)
{
    return mb_value_find(value, mb_text_of(key));
}

/* Append it as JSON without white space. */
void mb_buf_put_value(struct mb_buf *buf, const struct mb_value *value);

#endif
