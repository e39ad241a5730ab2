/* A JVM of HotSpot's that runs, as another process sees it: how it is asked to load a library. */

#ifndef CLI_JVM_H
#define CLI_JVM_H

#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* A process, perhaps in a container. */
struct cli_jvm {
    pid_t pid;
    pid_t own_pid; /* as it numbers itself */
    uid_t uid;     /* whom it belongs to */
    gid_t gid;
};

/* MB_IO and what to do about it, unless the process is a HotSpot JVM that may be asked;
 * jvm is filled in so far as the process can be seen. */
MB_MUST_CHECK enum mb_status cli_jvm_open(struct cli_jvm *jvm, pid_t pid, struct mb_error *err);

/* Have it load an agent, whose path is as the JVM sees files, and wait for the answer. MB_IO with
 * the JVM's own words if it refuses. */
MB_MUST_CHECK enum mb_status cli_jvm_load(const struct cli_jvm *jvm, const char *library,
                                          const char *options, struct mb_error *err);

/* The file is where the JVM sees it too, and the same one. path is absolute. */
bool cli_jvm_sees(const struct cli_jvm *jvm, const char *path);

/* The file has that path where the JVM looks for it. path is absolute, or "". */
bool cli_jvm_has_file(const struct cli_jvm *jvm, const char *path, ino_t inode);

/* False once it has ended, also while its parent has not asked for its exit code. */
bool cli_jvm_is_alive(const struct cli_jvm *jvm);

/* Its /tmp as an open folder, which outlives it; the caller closes it. -1 with errno. Names in it
 * are others' to choose, too: open none of them through a link. */
int cli_jvm_open_tmp(const struct cli_jvm *jvm);

#endif
