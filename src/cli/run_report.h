/* What run prints at the end. */

#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include "cli/format.h"
#include "jvms/process/notes.h"

/* Report on the traces of the JVMs: on one, or on the busiest of several after a table of all.
 * Standard output becomes standard error first. */
MB_MUST_CHECK enum mb_status cli_run_print(const struct cli_report_wish *report,
                                           const struct proc_notes *notes, struct mb_error *err);

/* Append a line for each JVM that started a program and has no trace: why. With none recorded also
 * of those that were left out or started nothing, or why a JVM is missing.
 * focus is what was asked for, or NULL. */
void cli_run_explain(struct mb_buf *out, const struct proc_notes *notes, bool is_java,
                     const char *focus);

#endif
