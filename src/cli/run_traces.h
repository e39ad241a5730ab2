/* Which trace files a run left behind. */

#ifndef CLI_RUN_TRACES_H
#define CLI_RUN_TRACES_H

#include "base/error.h"

#include <stddef.h>
#include <time.h>

/* Called for each, in the order of their names; path is borrowed for the call. */
typedef void cli_trace_fn(void *context, const char *path);

/* Find the files that match pattern, a setting's value ("%p": any process id), and have changed
 * since; *count is their number. Fails, naming no path, if the search fails. */
MB_MUST_CHECK enum mb_status cli_run_traces(const char *pattern, struct timespec since,
                                            cli_trace_fn *found, void *context, size_t *count,
                                            struct mb_error *err);

#endif
