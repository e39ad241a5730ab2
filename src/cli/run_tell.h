/* What run says of the program that it starts, and how to go on. */

#ifndef CLI_RUN_TELL_H
#define CLI_RUN_TELL_H

#include "cli/run_launch.h"

/* Before it starts: that its report will have no names, and why. */
void cli_run_tell_missing_map(const struct cli_run_launch *launch);

/* Before it starts: that an OSGi framework's own settings have to name the package of our class. */
void cli_run_tell_delegation(void);

/* Afterwards: that it left no trace, and what to do. */
void cli_run_tell_nothing(const struct cli_run_launch *launch);

/* The command that makes the report again, as a shell takes it. On standard output. */
void cli_run_print_report(const char *path);

#endif
