/* Messages of run about the program that it starts, and about the next step. */

#ifndef CLI_RUN_MESSAGES_H
#define CLI_RUN_MESSAGES_H

#include "cli/run_launch.h"

/* Warn before the start that the report will lack names, and why. */
void cli_run_warn_missing_map(const struct cli_run_launch *launch);

/* Warn before the start that an OSGi framework's own settings have to name our package. */
void cli_run_warn_delegation(void);

/* Say after the end that the program left no trace, and what to do. */
void cli_run_explain_nothing(const struct cli_run_launch *launch);

/* Print on standard output the command that prints the report again, quoted for a shell. */
void cli_run_print_report(const char *path);

#endif
