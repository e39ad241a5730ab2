/* Which methodMapping.txt belongs to the program that a command starts. */

#ifndef CLI_RUN_MAP_H
#define CLI_RUN_MAP_H

/* The one in or beside a part of the class or module path, or beside the jar, that the words of the
 * command name: where `instrument` puts it. The first; the caller frees it. NULL if there is none, or
 * memory ran out. */
char *cli_run_map(char **command);

#endif
