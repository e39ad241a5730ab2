/* Copies of files that another process has. */

#ifndef CLI_COPY_H
#define CLI_COPY_H

#include "base/error.h"

#include <sys/types.h>

/* Copy a file, empty stretches as holes; an older one of that name is replaced. If it fails, MB_IO
 * that names `to`, nothing of `to` is left. */
MB_MUST_CHECK enum mb_status cli_copy_file(const char *from, const char *to, mode_t mode,
                                           struct mb_error *err);

#endif
