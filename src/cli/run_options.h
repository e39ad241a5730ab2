/* What java has to be told beside the recorder's settings, so that a program finds the class that
 * its probes call. */

#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include "cli/run_launch.h"

/* Put options for java, const char * of launch's arena. A word of the command (ended by NULL) that
 * has to say more is replaced by one of that arena. */
void cli_run_options(struct cli_run_launch *launch, char **command, struct mb_buf *options);

#endif
