/* Java's options besides the recorder's settings, with which a program finds the class that its
 * probes call. */

#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include "cli/run_launch.h"

/* Put options for java, const char * in launch's arena. A word of the command (ended by NULL) that
 * needs an addition is replaced by one in that arena. */
void cli_run_options(struct cli_run_launch *launch, char **command, struct mb_buf *options);

#endif
