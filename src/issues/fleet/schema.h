/* The tables of a lake: their columns by issues/fleet/tables.def; and the days that
 * they are divided by. */

#ifndef ISSUES_FLEET_SCHEMA_H
#define ISSUES_FLEET_SCHEMA_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum fleet_type {
    FLEET_TEXT,
    FLEET_INTEGER,
    FLEET_REAL,
    FLEET_NAMES,
    FLEET_TAGS,
    FLEET_NUMBERS,
    FLEET_SUMS, /* lists of what rows of these tables have after the date; the last two */
    FLEET_COUNTS,
};

struct fleet_column {
    struct mb_text name;
    enum fleet_type type;
};

/* In the order of tables.def. */
#define FLEET_TABLE(name, keys, worst, order) FLEET_TABLE_##name,
#define FLEET_COLUMN(table, name, type)
enum fleet_table {
#include "issues/fleet/tables.def"
    FLEET_TABLE_COUNT
};
#undef FLEET_TABLE
#undef FLEET_COLUMN
#undef FLEET_WHO

#define FLEET_TABLE_KEY "t" /* member that names the table of a row, or FLEET_END */
#define FLEET_END "end"
#define FLEET_ROWS_KEY "rows"     /* of the last line: how many stand before it */
#define FLEET_SCHEMA_KEY "schema" /* of the last line, and of an upload in a lake */

/* Counted up when a column or table comes or changes; absent, it is 1. */
#define FLEET_SCHEMA 3u

/* Times of devices that are believed: ms since 1970, from 2000 to two days after this clock. */
#define FLEET_EARLIEST_MS INT64_C(946684800000)
#define FLEET_AHEAD_MS INT64_C(172800000)

/* Of numbers but hashes, from 0 on: their sums fit 64 bits. */
#define FLEET_RANGE INT64_C(1000000000000000)

/* In the order of tables.def. */
struct fleet_schema {
    const char *name;
    const struct fleet_column *columns;
    size_t count;
};

extern const struct fleet_schema fleet_schemas[FLEET_TABLE_COUNT];

/* ---- Days of receipt, as texts ---- */

typedef char fleet_day[11]; /* YYYY-MM-DD */

/* The day that is count days before another. */
void fleet_day_before(fleet_day before, const char *day, int count);

/* False for one that is not in the calendar, or more than two days ahead of this clock. */
bool fleet_is_day(const char *text);

/* Of an upload: by the innermost folder in its path that names one, day=YYYY-MM-DD, up to two days
 * ahead of this clock, else that of its last change, in ns since 1970. */
void fleet_find_day(fleet_day day, const char *path, int64_t changed_ns);

#endif
