/* The folder of traces that no option names: $XDG_CACHE_HOME/methodbeat, or ~/.cache/methodbeat. */

#ifndef CLI_CACHE_H
#define CLI_CACHE_H

#include <limits.h>
#include <stdbool.h>

/* Put the path of a file there, and make the folder. False if the folder cannot be had. */
bool cli_cache_name(char path[PATH_MAX], const char *name);

/* Put the path of the newest trace there. False if the cache has no trace. */
bool cli_cache_last(char path[PATH_MAX]);

/* Remove all but the newest traces there. */
void cli_cache_tidy(void);

#endif
