/* One recording of a running process at a time: a lock that ends with the process that holds it. */

#ifndef PROC_JVM_LOCK_H
#define PROC_JVM_LOCK_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* True if no process held the lock; from here on, this one does, until it ends. */
bool proc_jvm_is_free(pid_t pid);

/* Hold the lock while *fd is open; -1 where the system has none to offer. MB_IO that names the
 * holder if another process holds it. */
MB_MUST_CHECK enum mb_status proc_jvm_lock(pid_t pid, int *fd, struct mb_error *err);

#endif
