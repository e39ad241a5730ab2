/* What run prints at the end. */

#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* As the options of report; all borrowed. */
struct cli_run_report {
    const char *format; /* NULL: by the output's name */
    const char *output; /* NULL: standard output */
    bool opens;
};

/* Report on the traces that match a pattern and have changed since: on one, or on the busiest of
 * several behind a table of all. Standard output becomes standard error first. *count is their
 * number. Fails, naming what is wrong, if they cannot be looked for. */
MB_MUST_CHECK enum mb_status cli_run_print(const struct cli_run_report *report, const char *pattern,
                                           struct timespec since, size_t *count,
                                           struct mb_error *err);

#endif
