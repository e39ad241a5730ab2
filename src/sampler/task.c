#include "sampler/task.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool samp_task_is_runnable(uint32_t thread_id)
{
    char path[64];
    char line[128]; /* number and name come first, which is in brackets and may hold some */

    (void)snprintf(path, sizeof(path), "/proc/self/task/%" PRIu32 "/stat", thread_id);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t size = fd >= 0 ? read(fd, line, sizeof(line) - 1) : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    line[size > 0 ? size : 0] = '\0';
    const char *behind_name = strrchr(line, ')');
    return behind_name != NULL && strncmp(behind_name, ") R", 3) == 0;
}
