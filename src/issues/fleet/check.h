/* Rows of an upload from an unknown writer: what an engine would stumble over is left out
 * and counted, by reason. */

#ifndef ISSUES_FLEET_CHECK_H
#define ISSUES_FLEET_CHECK_H

#include "issues/fleet/schema.h"

enum fleet_doubt {
    FLEET_NOT_JSON,  /* a row is left out, as in the next two */
    FLEET_NO_TABLE,  /* of tables.def, or not in front */
    FLEET_BEYOND,    /* a line longer than FLEET_LINE_MOST */
    FLEET_NO_COLUMN, /* a member is left out: of no column, or of one that the row has; and so on */
    FLEET_NOT_TYPE,  /* of another type */
    FLEET_BEYOND_TEXT, /* a text is too long */
    FLEET_BEYOND_RANGE,
    FLEET_BEYOND_TIME, /* before 2000, or in the future */
    FLEET_DOUBT_COUNT
};

/* As "rows that are not JSON". */
extern const char *const fleet_doubt_words[FLEET_DOUBT_COUNT];

#define FLEET_LAST_LINE FLEET_TABLE_COUNT /* as a table: the line that counts the others */
#define FLEET_NO_ROW (-1)

/* Zeroed memory but latest_ms is ready. */
struct fleet_checker {
    uint64_t doubts[FLEET_DOUBT_COUNT];
    int64_t latest_ms; /* since 1970 */
    uint64_t rows;     /* that the last line counts */
    uint64_t schema;   /* that it tells */
    struct mb_buf row; /* the members that stay, a comma before each; fails when out of memory */
};

/* The index of its table, or one of the above. */
int fleet_check_line(struct fleet_checker *checker, struct mb_text line);

#endif
