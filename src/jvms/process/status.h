/* What the system tells of another process, which may be hostile or end at any time. */

#ifndef PROC_STATUS_H
#define PROC_STATUS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The value in a line of /proc/PID/status by its key; "" if it is absent. */
void proc_status(pid_t pid, const char *key, char *value, size_t size);

/* Its effective user and group, as they are numbered here. False if the process does not exist. */
bool proc_user(pid_t pid, uid_t *uid, gid_t *gid);

/* Its number in the innermost of its namespaces: as it numbers itself. */
pid_t proc_own_id(pid_t pid);

/* Seconds since it began; below 0 if that is not known. */
double proc_age(pid_t pid);

/* Cut a path that the system tells of it down to what the process calls it, where its root is below
 * ours. */
void proc_own_path(pid_t pid, char *path);

/* Append /proc/PID/name, and a NUL. False if it cannot be read. */
bool proc_read(struct mb_buf *out, pid_t pid, const char *name);

#endif
