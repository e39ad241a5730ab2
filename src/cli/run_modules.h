/* Which named modules a program has that may hold probes. */

#ifndef CLI_RUN_MODULES_H
#define CLI_RUN_MODULES_H

#include "cli/run_launch.h"

/* Names, const char * of launch's arena: the root modules, and modules of the module path that
 * these require or whose services they use, as java resolves them. All others are left out, since
 * java warns of them. */
void cli_run_modules(struct cli_run_launch *launch, struct mb_buf *names);

#endif
