#include "recorder/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define STALE_NS (SECOND / 5) /* longer than any tick */

/* The CPU clock of a thread of this process, as the kernel numbers them. */
static bool read_cpu(uint32_t thread_id, uint64_t *cpu_ns)
{
    struct timespec used;
    clockid_t clock = (clockid_t)(~thread_id << 3 | 6);

    if (clock_gettime(clock, &used) != 0) {
        return false;
    }
    *cpu_ns = (uint64_t)used.tv_sec * SECOND + (uint64_t)used.tv_nsec;
    return true;
}

/* Digits, then end. */
static bool parse_number(const char **text, char end, uint64_t *number)
{
    char *behind = NULL;

    if (**text < '0' || **text > '9') {
        return false;
    }
    errno = 0;
    *number = strtoull(*text, &behind, 10);
    bool is_whole = errno == 0 && *behind == end;
    *text = behind + is_whole;
    return is_whole;
}

bool beat_usage_parse(const char *text, uint64_t cpu_ns, uint64_t *queued_ns)
{
    uint64_t ran = 0;
    uint64_t count = 0;

    if (!parse_number(&text, ' ', &ran) || !parse_number(&text, ' ', queued_ns) ||
        !parse_number(&text, '\n', &count) || *text != '\0') {
        return false;
    }
    uint64_t apart = ran > cpu_ns ? ran - cpu_ns : cpu_ns - ran;
    return apart <= STALE_NS && count > 0;
}

/* 1: told; 0: this system does not tell; -1: not this time. */
static int read_queue(uint32_t thread_id, uint64_t cpu_ns, uint64_t *queued_ns)
{
    char path[64];
    char text[96];

    (void)snprintf(path, sizeof(path), "/proc/self/task/%" PRIu32 "/schedstat", thread_id);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return errno == EMFILE || errno == ENFILE || errno == EINTR || errno == ENOMEM ? -1 : 0;
    }
    ssize_t size = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    text[size > 0 ? size : 0] = '\0';
    return beat_usage_parse(text, cpu_ns, queued_ns) ? 1 : 0;
}

bool beat_usage_read(struct beat_usage *usage, uint32_t thread_id)
{
    const struct beat_usage before = *usage;

    if (!read_cpu(thread_id, &usage->cpu_ns) || usage->cpu_ns < before.cpu_ns) {
        return false;
    }
    bool is_still = before.is_known && usage->cpu_ns == before.cpu_ns;
    bool was_unknown = before.is_known && !before.knows_queue;
    usage->is_known = true;
    if (is_still || was_unknown) {
        return true;
    }
    int told = read_queue(thread_id, usage->cpu_ns, &usage->queued_ns);
    usage->knows_queue = told == 1;
    bool is_lost = before.knows_queue && (told != 1 || usage->queued_ns < before.queued_ns);
    if (!before.is_known && told == 0) {
        usage->queued_ns = 0;
    }
    return told >= 0 && !is_lost;
}
