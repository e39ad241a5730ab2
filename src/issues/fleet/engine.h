/* The program that does the work on a lake: DuckDB's command, or one that behaves as it. */

#ifndef ISSUES_FLEET_ENGINE_H
#define ISSUES_FLEET_ENGINE_H

#include "base/buf.h"
#include "base/value.h"

struct fleet_engine {
    const char *command; /* NULL: duckdb, of PATH */
    const char *folder;  /* where it runs: relative names in the SQL are of that folder */
    struct mb_buf loads; /* of a lake: those that questions see, as texts in SQL */
};

/* What it printed. Zeroed memory can be finished. */
struct fleet_said {
    struct mb_buf text;
    struct mb_reader reader;
    const struct mb_value *rows; /* a list of objects */
};

void fleet_said_finish(struct fleet_said *said);

/* Give it the statements, and take its answer. Fails with its own first words, and with how to get
 * it if it is not there. An interrupt is passed on to it. */
MB_MUST_CHECK enum mb_status fleet_engine_ask(const struct fleet_engine *engine,
                                              const struct mb_buf *sql, struct fleet_said *said,
                                              struct mb_error *err);

#endif
