/* Members of foreign JSON as columns of a row. What a column cannot hold is left out and counted,
 * by reason. */

#ifndef ISSUES_FLEET_COLUMNS_H
#define ISSUES_FLEET_COLUMNS_H

#include "base/value.h"
#include "issues/fleet/writer.h"

enum fleet_refusal {
    FLEET_LONG_TEXT,  /* its end is cut off */
    FLEET_OTHER_TYPE, /* the column is left out, as in the next two */
    FLEET_OUT_OF_RANGE,
    FLEET_ODD_TIME,     /* before 2000, or in the future */
    FLEET_OTHER_SCHEMA, /* the row is left out, as in the next */
    FLEET_NO_ISSUE,     /* neither an issue nor sums of a session */
    FLEET_REFUSAL_COUNT
};

/* In words, as "texts that were too long". */
extern const char *const fleet_refusal_words[FLEET_REFUSAL_COUNT];

struct fleet_columns {
    struct mb_json *row;
    uint64_t *refused; /* by enum fleet_refusal */
    int64_t latest_ms; /* since 1970: later times are of the future */
};

/* A member as a column of that name. Absent members are absent columns. */
void fleet_take_text(const struct fleet_columns *columns, const char *column,
                     const struct mb_value *object, const char *member);
void fleet_take_number(const struct fleet_columns *columns, const char *column,
                       const struct mb_value *object, const char *member);
/* The number that a text begins with, as "6" of "6.1.0". */
void fleet_take_level(const struct fleet_columns *columns, const char *column,
                      const struct mb_value *object, const char *member);
void fleet_take_flag(const struct fleet_columns *columns, const char *column,
                     const struct mb_value *object, const char *member);

/* A member in ns or ms as a column in ms; also decimals. */
void fleet_take_ns(const struct fleet_columns *columns, const char *column,
                   const struct mb_value *object, const char *member);
void fleet_take_ms(const struct fleet_columns *columns, const char *column,
                   const struct mb_value *object, const char *member);

/* ms since 1970. */
void fleet_take_time(const struct fleet_columns *columns, const char *column,
                     const struct mb_value *object, const char *member);

/* A text of any length, without the end that is too long. */
void fleet_take_cut(const struct fleet_columns *columns, const char *column, struct mb_text text);

#endif
