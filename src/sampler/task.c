#include "sampler/task.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A text that ends with 0; "" if the thread has ended. */
static void read_file(uint32_t thread_id, const char *name, char *text, size_t size)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/self/task/%" PRIu32 "/%s", thread_id, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t got = fd >= 0 ? read(fd, text, size - 1) : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    text[got > 0 ? got : 0] = '\0';
}

bool samp_task_is_runnable(uint32_t thread_id)
{
    char line[128]; /* number and name come first, which is in brackets and may hold some */

    read_file(thread_id, "stat", line, sizeof(line));
    const char *behind_name = strrchr(line, ')');
    return behind_name != NULL && strncmp(behind_name, ") R", 3) == 0;
}

/* Names with line ends are escaped there. */
uint64_t samp_task_signals(uint32_t thread_id, const char *set)
{
    char text[4096];

    read_file(thread_id, "status", text, sizeof(text));
    const char *line = strstr(text, set);
    return line != NULL ? strtoull(line + strlen(set), NULL, 16) : 0;
}
