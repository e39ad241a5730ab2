#include "jvms/process/leftovers.h"

#include "base/check.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_NAMES 100000
#define LEAST_SECONDS 60

/* The process's number in a name that methodbeat gave; 0 for other names. */
static pid_t number_of(const char *name)
{
    static const char *const starts[] = {PROC_LEFTOVER_TRACE, PROC_LEFTOVER_LIBRARY};

    for (size_t i = 0; i < MB_COUNT(starts); i++) {
        size_t size = strlen(starts[i]);
        if (strncmp(name, starts[i], size) == 0) {
            char *end;
            long number = strtol(name + size, &end, 10);
            return *end == '-' && number > 0 ? (pid_t)number : 0;
        }
    }
    return 0;
}

/* As the process sees others. */
static bool has_ended(pid_t pid)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
    return access("/proc/1", F_OK) == 0 && access(path, F_OK) != 0;
}

static void remove_unused(int folder, const char *name, time_t latest)
{
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        info.st_mtime <= latest && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        (void)unlinkat(folder, name, 0);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

void proc_leftovers_remove(pid_t own_pid, bool is_ours)
{
    DIR *folder = opendir("/tmp");
    const struct dirent *entry;
    time_t now = time(NULL);

    for (int i = 0; folder != NULL && i < MOST_NAMES && (entry = readdir(folder)) != NULL; i++) {
        pid_t pid = number_of(entry->d_name);
        if (pid == own_pid && is_ours) {
            remove_unused(dirfd(folder), entry->d_name, now);
        } else if (pid != 0 && pid != own_pid && has_ended(pid)) {
            remove_unused(dirfd(folder), entry->d_name, now - LEAST_SECONDS);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}
