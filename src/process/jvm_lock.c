#include "process/jvm_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_NS 50000000 /* a process that only looks holds the lock for a moment */
#define MOST_TRIES 10

/* "1: FLOCK  ADVISORY  WRITE 4711 00:15:404294 0 EOF"; 0 if unknown. */
static int find_holder(int fd)
{
    FILE *file = fopen("/proc/locks", "re");
    char line[256];
    struct stat info;
    int holder = 0;

    while (file != NULL && fstat(fd, &info) == 0 && fgets(line, sizeof(line), file) != NULL) {
        const char *number = strstr(line, "WRITE ");
        uint64_t inode = 0;
        int pid = 0;
        if (number != NULL && strstr(line, "FLOCK") != NULL &&
            sscanf(number, "WRITE %d %*x:%*x:%" SCNu64, &pid, &inode) == 2 &&
            inode == info.st_ino) {
            holder = pid;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return holder;
}

/* The file is the process's own, and only who may look into the process can open it. */
static int open_lock(pid_t pid)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool proc_jvm_is_free(pid_t pid)
{
    int fd = open_lock(pid);

    return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

enum mb_status proc_jvm_lock(pid_t pid, int *fd, struct mb_error *err)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};

    *fd = open_lock(pid);
    for (int tries = 0; *fd >= 0 && tries < MOST_TRIES; tries++) {
        if (flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
            return MB_OK;
        }
        (void)nanosleep(&pause, NULL);
    }
    if (*fd < 0) {
        return MB_OK;
    }
    int holder = find_holder(*fd);
    (void)close(*fd);
    *fd = -1;
    return holder > 0 ? mb_fail(err, MB_IO, MB_NO_OFFSET,
                                "another methodbeat records it, process %d: wait for its end, or "
                                "end it with Ctrl-C",
                                holder)
                      : mb_fail(err, MB_IO, MB_NO_OFFSET,
                                "another methodbeat records it: wait for its end");
}
