#include "recorder/pauses.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "recorder/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LEAST_NS MB_NS_PER_MS
#define LEAST_STOP_NS (200 * MB_NS_PER_MS)
#define WATCH_NS (100 * MB_NS_PER_MS)
#define ASK_NS (5 * MB_NS_PER_MS)       /* where there is a limit, */
#define SELDOM_NS (int64_t) MB_NS_PER_S /* and where there was none */
#define TEXT_SIZE 1024

/* ---- What other threads note ---- */

struct noted {
    enum abi_pause_kind kind;
    int64_t start_ns;
    int64_t end_ns;
};

/* Under its lock. */
static struct {
    pthread_mutex_t lock;
    struct noted noted[64];
    size_t count;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER};

void beat_pause_note(enum abi_pause_kind kind, int64_t start_ns, int64_t end_ns)
{
    (void)pthread_mutex_lock(&queue.lock);
    if (end_ns - start_ns >= LEAST_NS && queue.count < MB_COUNT(queue.noted)) {
        queue.noted[queue.count++] = (struct noted){kind, start_ns, end_ns};
    }
    (void)pthread_mutex_unlock(&queue.lock);
}

static void put_row(struct beat_pauses *pauses, const struct abi_trace_header *header,
                    const struct noted *noted)
{
    struct abi_trace_section *section = pauses->section;
    uint64_t number = atomic_load_explicit(&section->written, memory_order_relaxed);
    uint64_t rate = atomic_load_explicit(&header->ns_per_unit, memory_order_relaxed);
    int64_t start_ns = mb_max_i64(noted->start_ns - header->monotonic_start_ns, 0);
    int64_t end_ns = noted->end_ns - header->monotonic_start_ns;

    if (end_ns <= start_ns) {
        return; /* before the session began */
    }
    if (number >= pauses->room) {
        atomic_fetch_add_explicit(&section->lost, 1, memory_order_relaxed);
        return;
    }
    pauses->rows[number] =
        (struct abi_profile_pause){.start = abi_trace_units(rate, (uint64_t)start_ns),
                                   .length = abi_trace_units(rate, (uint64_t)(end_ns - start_ns)),
                                   .kind = noted->kind};
    atomic_store_explicit(&section->written, number + 1, memory_order_release);
}

static void take_noted(struct beat_pauses *pauses, const struct abi_trace_header *header)
{
    struct noted noted[MB_COUNT(queue.noted)];

    (void)pthread_mutex_lock(&queue.lock);
    size_t count = queue.count;
    memcpy(noted, queue.noted, count * sizeof(*noted));
    queue.count = 0;
    (void)pthread_mutex_unlock(&queue.lock);
    for (size_t i = 0; i < count; i++) {
        put_row(pauses, header, &noted[i]);
    }
}

/* ---- The container's limit ---- */

bool beat_pauses_parse(const char *text, uint64_t *throttled_ns)
{
    uint64_t periods = 0;
    uint64_t time = 0;
    bool is_limited = mb_text_find_number(text, "nr_periods ", &periods) && periods > 0;

    if (mb_text_find_number(text, "throttled_usec ", &time)) {
        *throttled_ns = time * 1000;
        return is_limited;
    }
    return mb_text_find_number(text, "throttled_time ", throttled_ns) && is_limited;
}

/* Of a line of /proc/self/cgroup: "4:cpu,cpuacct:/a", or "0::/a". Inside a container the path may
 * be that of the host, and its own group is at the top. */
static bool read_group(char *line, char text[TEXT_SIZE])
{
    char path[TEXT_SIZE];
    char *name = strchr(line, ':');
    char *group = name != NULL ? strchr(name + 1, ':') : NULL;

    if (group == NULL) {
        return false;
    }
    *group++ = '\0';
    name++;
    bool is_second = *name == '\0';
    if (!is_second && strcmp(name, "cpu") != 0 && strncmp(name, "cpu,", 4) != 0) {
        return false;
    }
    (void)snprintf(path, sizeof(path), "/sys/fs/cgroup/%s%s/cpu.stat", name, group);
    if (mb_file_read_text(path, text, TEXT_SIZE)) {
        return true;
    }
    (void)snprintf(path, sizeof(path), "/sys/fs/cgroup/%s/cpu.stat", name);
    return mb_file_read_text(path, text, TEXT_SIZE);
}

static bool read_throttled(uint64_t *throttled_ns)
{
    char groups[TEXT_SIZE];
    char text[TEXT_SIZE];

    if (!mb_file_read_text("/proc/self/cgroup", groups, sizeof(groups))) {
        return false;
    }
    for (char *line = groups, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        if (read_group(line, text) && beat_pauses_parse(text, throttled_ns)) {
            return true;
        }
    }
    return false;
}

/* The system adds a pause when it ends, of each processor. */
static void ask_limit(struct beat_pauses *pauses, const struct abi_trace_header *header,
                      int64_t now)
{
    uint64_t before = pauses->throttled_ns;
    int64_t since = pauses->asked_ns;
    bool was_limited = pauses->is_limited;

    if (now - since < (was_limited ? ASK_NS : SELDOM_NS) && since != 0) {
        return;
    }
    pauses->asked_ns = now;
    pauses->is_limited = read_throttled(&pauses->throttled_ns);
    if (was_limited && pauses->is_limited && pauses->throttled_ns > before) {
        int64_t length = mb_min_i64((int64_t)(pauses->throttled_ns - before), now - since);
        const struct noted noted = {ABI_PAUSE_THROTTLED, now - length, now};
        put_row(pauses, header, &noted);
    }
}

/* ---- The process itself ---- */

/* A keeper that was neither awake nor in the run queue was stopped, as all threads were. */
static void watch_self(struct beat_pauses *pauses, const struct abi_trace_header *header,
                       int64_t late_ns, int64_t now)
{
    struct beat_usage self = pauses->self;

    if (late_ns < LEAST_STOP_NS && now - pauses->watched_ns < WATCH_NS) {
        return;
    }
    bool knows = beat_usage_read(&self, (uint32_t)syscall(SYS_gettid));
    if (knows && pauses->self.knows_queue && self.knows_queue && late_ns >= LEAST_STOP_NS) {
        uint64_t used = self.cpu_ns - pauses->self.cpu_ns + self.queued_ns - pauses->self.queued_ns;
        int64_t length = late_ns - (int64_t)(used & INT64_MAX);
        const struct noted noted = {ABI_PAUSE_STOPPED, now - length, now};
        if (length >= LEAST_STOP_NS) {
            put_row(pauses, header, &noted);
        }
    }
    pauses->self = knows ? self : (struct beat_usage){0};
    pauses->watched_ns = now;
}

void beat_pauses_take(struct beat_pauses *pauses, const struct abi_trace_header *header,
                      int64_t late_ns)
{
    int64_t now = beat_clock_monotonic_ns();

    watch_self(pauses, header, late_ns, now);
    take_noted(pauses, header);
    ask_limit(pauses, header, now);
}
