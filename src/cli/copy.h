/* Copies of files that another process has. */

#ifndef CLI_COPY_H
#define CLI_COPY_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* Write the rest of one file to another, which is empty; into a regular one empty stretches go as
 * holes. Both are borrowed. MB_IO that names no path. */
MB_MUST_CHECK enum mb_status cli_copy_open(int from, int to, struct mb_error *err);

/* The same to a path; an older file there is emptied first. If it fails, MB_IO that names the path,
 * and no regular file is left there. */
MB_MUST_CHECK enum mb_status cli_copy_to(int from, const char *to, mode_t mode,
                                         struct mb_error *err);

/* The rest of both is the same. */
bool cli_copy_equals(int a, int b);

#endif
