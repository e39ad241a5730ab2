/* A process that is stopped as a message begins, while the watcher rests, and where the message is
 * over before the watcher runs again: no stall is invented, and what was left out is counted. */

#include "lives.h"
#include "monitor/watch/methodbeat_watch.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)
#define STOPS 3
#define STOPPED_MS 1000
#define PATIENCE_MS 20000

static _Atomic(int) issue_count;

/* ---- The child ---- */

static void hear(void *context, const struct watch_issue *issue)
{
    (void)context;
    (void)printf("invented: %s\n", issue->json);
    atomic_fetch_add(&issue_count, 1);
}

/* The watcher's; SCHED_IDLE: they run when this one does not. */
static void schedule_others(int policy)
{
    const struct sched_param none = {0};
    DIR *folder = opendir("/proc/self/task");

    for (struct dirent *entry = NULL; folder != NULL && (entry = readdir(folder)) != NULL;) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread > 0 && thread != getpid()) {
            (void)sched_setscheduler(thread, policy, &none);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}

static void stay_on_one_cpu(void)
{
    int cpu = sched_getcpu();
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu >= 0 ? (size_t)cpu : 0, &set);
    (void)sched_setaffinity(0, sizeof(set), &set);
}

static int64_t gap_ns(void)
{
    struct watch_counters counters;

    watch_read_counters(&counters);
    return (int64_t)counters.gap_ns;
}

/* As long as the watcher needs to run, on a busy machine, where it may not rest yet: then what came
 * before its next look is no gap. */
static bool is_left_out(int64_t before_ns)
{
    for (int waited = 0; waited < PATIENCE_MS; waited += 10) {
        if (gap_ns() - before_ns >= STOPPED_MS * MS / 4) {
            return true;
        }
        lives_sleep_ms(10);
    }
    return false;
}

static int run_child(void)
{
    int missed = 0;

    stay_on_one_cpu();
    (void)watch_set("evil_ms", "500");
    (void)watch_set("gap_ms", "200");
    (void)watch_set("often", "");
    (void)watch_set("cpu_enable", "off");
    (void)watch_listen(hear, NULL);
    if (!watch_start()) {
        return 1;
    }
    for (int i = 0; i < STOPS; i++) {
        lives_sleep_ms(1000); /* for the watcher to rest */
        int64_t before = gap_ns();
        schedule_others(SCHED_IDLE);
        watch_begin();
        (void)raise(SIGSTOP);
        watch_end();
        schedule_others(SCHED_OTHER);
        missed += !is_left_out(before);
    }
    watch_stop();
    (void)printf("%d stops: %d invented, %d not left out\n", STOPS, atomic_load(&issue_count),
                 missed);
    (void)fflush(stdout);
    return missed == 0 && atomic_load(&issue_count) == 0 ? 0 : 1;
}

/* ---- The parent ---- */

int main(void)
{
    pid_t child = fork();
    int status = 1;

    if (child == 0) {
        _exit(run_child());
    }
    while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
        lives_sleep_ms(STOPPED_MS);
        (void)kill(child, SIGCONT);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
