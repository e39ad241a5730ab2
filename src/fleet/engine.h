/* The program that does the work on a lake: DuckDB's command, or one that behaves as it. */

#ifndef FLEET_ENGINE_H
#define FLEET_ENGINE_H

#include "base/buf.h"

struct fleet_engine {
    const char *command; /* NULL: duckdb, of PATH */
    const char *folder;  /* where it runs: relative names in the SQL are of that folder */
    struct mb_buf loads; /* of a lake: those that questions see, as texts in SQL */
};

/* Give it the statements, and append what it prints, JSON, to out. Fails with its own first words,
 * and with how to get it if it is not there. An interrupt is passed on to it. */
MB_MUST_CHECK enum mb_status fleet_engine_run(const struct fleet_engine *engine,
                                              const struct mb_buf *sql, struct mb_buf *out,
                                              struct mb_error *err);

#endif
