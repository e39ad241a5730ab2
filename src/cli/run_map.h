/* Which methodMapping.txt belongs to the program that a command starts. */

#ifndef CLI_RUN_MAP_H
#define CLI_RUN_MAP_H

#include "cli/run_launch.h"

/* The first map in or beside a part of the class or module path, or beside the script, where
 * `instrument` puts it; else the nearest one in a folder above them. The caller frees it. NULL if
 * absent, or memory ran out. */
char *cli_run_map(struct cli_run_launch *launch);

#endif
