#include "recorder/usage.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "recorder/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STALE_NS (200 * (uint64_t)MB_NS_PER_MS) /* longer than any tick */
#define ASKING_NS 200000u
#define ASK_TIMES 3

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

bool beat_usage_parse(const char *text, uint64_t cpu_ns, struct beat_queue *queue)
{
    uint64_t count = 0;

    if (!parse_number(&text, ' ', &queue->ran_ns) || !parse_number(&text, ' ', &queue->queued_ns) ||
        !parse_number(&text, '\n', &count) || *text != '\0') {
        return false;
    }
    const uint64_t ran = queue->ran_ns;
    uint64_t apart = ran > cpu_ns ? ran - cpu_ns : cpu_ns - ran;
    return ran > 0 && count > 0 && (cpu_ns == 0 || apart <= STALE_NS);
}

int beat_usage_read_queue(const char *path, uint64_t cpu_ns, struct beat_queue *queue)
{
    char text[96];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return errno == EMFILE || errno == ENFILE || errno == EINTR || errno == ENOMEM ? -1 : 0;
    }
    ssize_t size = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    text[size > 0 ? size : 0] = '\0';
    return beat_usage_parse(text, cpu_ns, queue) ? 1 : 0;
}

bool beat_usage_read(struct beat_usage *usage, uint32_t thread_id)
{
    const struct beat_usage before = *usage;
    char path[64];

    if (!mb_clock_read_thread(thread_id, &usage->cpu_ns) || usage->cpu_ns < before.cpu_ns) {
        return false;
    }
    bool is_still = before.is_known && usage->cpu_ns == before.cpu_ns;
    bool was_unknown = before.is_known && !before.knows_queue;
    usage->is_known = true;
    if (is_still || was_unknown) {
        return true;
    }
    (void)snprintf(path, sizeof(path), "/proc/self/task/%" PRIu32 "/schedstat", thread_id);
    struct beat_queue queue = {.queued_ns = usage->queued_ns};
    int told = beat_usage_read_queue(path, usage->cpu_ns, &queue);
    usage->queued_ns = queue.queued_ns;
    usage->knows_queue = told == 1;
    bool is_lost = before.knows_queue && (told != 1 || usage->queued_ns < before.queued_ns);
    if (!before.is_known && told == 0) {
        usage->queued_ns = 0;
    }
    return told >= 0 && !is_lost;
}

bool beat_usage_is_io(uint32_t thread_id)
{
    static const long waits[] = {SYS_futex, SYS_nanosleep, SYS_clock_nanosleep,
                                 SYS_restart_syscall};
    char path[64];
    char text[32];

    (void)snprintf(path, sizeof(path), "/proc/self/task/%" PRIu32 "/syscall", thread_id);
    (void)mb_file_read_text(path, text, sizeof(text));
    bool is_io = text[0] >= '0' && text[0] <= '9'; /* else it runs, or is in no call */
    long number = is_io ? strtol(text, NULL, 10) : -1;
    for (size_t i = 0; i < MB_COUNT(waits); i++) {
        is_io = is_io && number != waits[i];
    }
    return is_io;
}

bool beat_usage_ask(struct beat_usage *usage, const struct abi_trace_header *header,
                    uint32_t thread_id)
{
    const struct beat_usage before = *usage;
    uint64_t rate = atomic_load_explicit(&header->ns_per_unit, memory_order_relaxed);
    uint64_t longest = abi_trace_units(rate, ASKING_NS + 2 * header->resolution_ns);

    for (int i = 0; i < ASK_TIMES; i++) {
        *usage = before;
        usage->time = beat_clock_now(header);
        bool knows = beat_usage_read(usage, thread_id);
        usage->slack = beat_clock_now(header) - usage->time;
        if (!knows || usage->slack <= longest) {
            return knows;
        }
    }
    return false;
}

static uint64_t first_cpu(uint64_t rate, const struct beat_usage *usage, uint64_t first_time)
{
    uint64_t since = usage->time > first_time ? abi_trace_ns(rate, usage->time - first_time) : 0;

    return usage->cpu_ns < since ? usage->cpu_ns : since;
}

struct prof_usage beat_usage_since(const struct abi_trace_header *header,
                                   const struct beat_usage *before, const struct beat_usage *usage,
                                   uint64_t first_time)
{
    uint64_t rate = atomic_load_explicit(&header->ns_per_unit, memory_order_relaxed);
    bool is_first = !before->is_known;
    uint64_t used = is_first ? first_cpu(rate, usage, first_time) : usage->cpu_ns - before->cpu_ns;
    bool is_coarse = header->clock_kind == ABI_CLOCK_COARSE;
    uint64_t ticks =
        is_coarse && !usage->is_exact ? abi_trace_units(rate, 2 * header->resolution_ns) : 0;

    return (struct prof_usage){
        .now = usage->time,
        .cpu_ns = used,
        .worked = abi_trace_units(rate, used),
        .ready = abi_trace_units(rate, usage->queued_ns - before->queued_ns),
        .slack = usage->slack + ticks,
        .knows_ready = usage->knows_queue,
    };
}
