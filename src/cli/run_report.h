/* What run prints at the end. */

#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include "base/error.h"
#include "cli/run_notes.h"

#include <stdbool.h>

/* As the options of report; all borrowed. */
struct cli_run_report {
    const char *format; /* NULL: by the output's name */
    const char *output; /* NULL: standard output */
    bool opens;
};

/* Report on the traces of the JVMs: on one, or on the busiest of several behind a table of all.
 * Standard output becomes standard error first. */
MB_MUST_CHECK enum mb_status cli_run_print(const struct cli_run_report *report,
                                           const struct cli_run_notes *notes, struct mb_error *err);

#endif
