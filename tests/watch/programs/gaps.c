/* A process that is stopped for longer than any threshold, inside messages and between them, and
 * one that a debugger holds: no stall is invented, and what was left out is counted.
 *
 * usage: gaps [STOPS [MILLISECONDS [CGROUP]]]
 *
 * CGROUP is a folder that the caller has made: instead of signals its freezer stops the process. */

#include "lives.h"
#include "monitor/watch/methodbeat_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)
#define MOST 256
#define SLOW_MS 500
#define SLACK_NS (20 * MS)
#define SKIPPED 77

struct span {
    int64_t from_ns;
    int64_t to_ns;
};

/* Between parent and child. */
struct shared {
    _Atomic(bool) runs;
    _Atomic(bool) is_traced;
    _Atomic(bool) is_over;
    _Atomic(int) issue_count;
    struct span issues[MOST];
    struct watch_counters counters;
};

static struct shared *shared;

/* ---- The child ---- */

static int64_t number_of(const char *json, const char *key)
{
    const char *place = strstr(json, key);

    return place != NULL ? strtoll(place + strlen(key), NULL, 10) : 0;
}

static void hear(void *context, const struct watch_issue *issue)
{
    int place = atomic_load(&shared->issue_count);
    int64_t begin = number_of(issue->json, "\"begin_ns\":");

    (void)context;
    if (place < MOST) {
        shared->issues[place] = (struct span){begin, begin + issue->cost_ns};
        atomic_store(&shared->issue_count, place + 1);
    }
}

static void message_of(long ms)
{
    watch_begin();
    lives_sleep_ms(ms);
    watch_end();
}

static int run_child(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)watch_set("evil_ms", "500");
    (void)watch_set("stall_ms", "100:500");
    (void)watch_set("gap_ms", "200");
    (void)watch_set("often", "");
    (void)watch_set("cpu_enable", "off");
    (void)watch_listen(hear, NULL);
    if (!watch_start()) {
        return 1;
    }
    atomic_store(&shared->runs, true);
    while (!atomic_load(&shared->is_over)) {
        message_of(40);
        lives_sleep_ms(10);
        if (atomic_exchange(&shared->is_traced, false)) {
            message_of(3 * SLOW_MS);
        }
    }
    watch_stop();
    watch_read_counters(&shared->counters);
    return 0;
}

/* ---- The parent ---- */

static bool wait_for(pid_t child, int options)
{
    int status;

    while (waitpid(child, &status, options) != child) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

static const char *cgroup; /* NULL: signals */

static bool write_to(const char *name, long number)
{
    char path[512];
    char text[24];

    (void)snprintf(path, sizeof(path), "%s/%s", cgroup, name);
    int size = snprintf(text, sizeof(text), "%ld", number);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool is_written = fd >= 0 && write(fd, text, (size_t)size) == size;
    if (fd >= 0) {
        (void)close(fd);
    }
    return is_written;
}

static bool is_frozen(void)
{
    char path[512];
    char text[128] = "";

    (void)snprintf(path, sizeof(path), "%s/cgroup.events", cgroup);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!read(fd, text, sizeof(text) - 1);
        (void)close(fd);
    }
    return strstr(text, "frozen 1") != NULL;
}

static bool hold(pid_t child)
{
    if (cgroup == NULL) {
        return kill(child, SIGSTOP) == 0 && wait_for(child, WUNTRACED);
    }
    if (!write_to("cgroup.freeze", 1)) {
        return false;
    }
    while (!is_frozen()) {
        lives_sleep_ms(1);
    }
    return true;
}

static void let_go(pid_t child)
{
    if (cgroup == NULL) {
        (void)kill(child, SIGCONT);
    } else {
        (void)write_to("cgroup.freeze", 0);
    }
}

/* What is surely inside the stop; nothing if it cannot be had. */
static struct span stop(pid_t child, long ms)
{
    struct span span = {0};

    if (hold(child)) {
        span.from_ns = lives_now_ns();
        lives_sleep_ms(ms);
        span.to_ns = lives_now_ns();
    }
    let_go(child);
    return span;
}

static int64_t overlap(const struct span *a, const struct span *b)
{
    int64_t from = a->from_ns > b->from_ns ? a->from_ns : b->from_ns;
    int64_t to = a->to_ns < b->to_ns ? a->to_ns : b->to_ns;

    return to > from ? to - from : 0;
}

/* Issues of what was not slow while the process ran. */
static int count_invented(const struct span *stops, int count)
{
    int invented = 0;

    for (int i = 0; i < atomic_load(&shared->issue_count); i++) {
        const struct span *issue = &shared->issues[i];
        int64_t ran = issue->to_ns - issue->from_ns;
        for (int s = 0; s < count; s++) {
            ran -= overlap(issue, &stops[s]);
        }
        if (ran < SLOW_MS * MS - SLACK_NS) {
            (void)printf("invented: ran for %lld us of %lld\n", (long long)ran / 1000,
                         (long long)(issue->to_ns - issue->from_ns) / 1000);
            invented++;
        }
    }
    return invented;
}

/* A message that is slow while a debugger is there. False if there may be none here. */
static bool trace(pid_t child)
{
    if (ptrace(PTRACE_SEIZE, child, NULL, NULL) != 0) {
        return false;
    }
    atomic_store(&shared->is_traced, true);
    while (atomic_load(&shared->is_traced)) {
        lives_sleep_ms(1);
    }
    lives_sleep_ms(4 * SLOW_MS);
    return true;
}

static pid_t start_child(void)
{
    pid_t child = fork();

    if (child == 0) {
        _exit(run_child());
    }
    while (child > 0 && !atomic_load(&shared->runs)) {
        lives_sleep_ms(1);
    }
    return child;
}

int main(int argument_count, char **values)
{
    int count = argument_count > 1 ? (int)strtol(values[1], NULL, 10) : 12;
    long ms = argument_count > 2 ? strtol(values[2], NULL, 10) : 2L * SLOW_MS;
    struct span stops[MOST];
    int64_t stopped = 0;

    cgroup = argument_count > 3 ? values[3] : NULL;

    count = count < MOST ? count : MOST;
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = shared != MAP_FAILED ? start_child() : -1;
    if (child < 0 || (cgroup != NULL && !write_to("cgroup.procs", child))) {
        return 1;
    }
    for (int i = 0; i < count; i++) {
        lives_sleep_ms(100 + i * 13 % 50);
        stops[i] = stop(child, ms);
        stopped += stops[i].to_ns - stops[i].from_ns;
    }
    int issues = atomic_load(&shared->issue_count);
    bool was_traced = trace(child);
    int traced_issues = atomic_load(&shared->issue_count) - issues;
    atomic_store(&shared->is_over, true);
    int status = 1;
    while (waitpid(child, &status, 0) == child && !WIFEXITED(status) && !WIFSIGNALED(status)) {
        (void)ptrace(PTRACE_CONT, child, NULL,
                     NULL); /* it stops for its debugger as a thread ends */
    }
    int invented = count_invented(stops, count);
    (void)printf("%d stops of %lld ms in all: %d invented, gaps of %lld ms; %s: %llu not told\n",
                 count, (long long)(stopped / MS), invented,
                 (long long)(shared->counters.gap_ns / MS),
                 was_traced ? "with a debugger" : "no debugger here",
                 (unsigned long long)shared->counters.debugged);
    bool is_counted = shared->counters.gap_ns >= stopped / 4 &&
                      (!was_traced || (shared->counters.debugged > 0 && traced_issues == 0));
    return invented == 0 && is_counted && status == 0 ? 0 : 1;
}
