/* Processes that are killed at random moments while they tell of exits that only the system knows:
 * each exit is published exactly once, by them or by one that comes after. What the system knows,
 * and which of it was told, is in memory between all of them.
 *
 * usage: exited [ROUNDS] */

#include "lives.h"
#include "monitor/watch/methodbeat_watch.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST 4096
#define AT_ONCE 3

/* Exits have numbers from 1 on. */
struct shared {
    _Atomic(int) there;
    _Atomic(int) asked; /* the newest that was given */
    _Atomic(int) told;  /* likewise; those that come after it are given */
};

static struct shared *shared;

/* ---- The processes ---- */

static void give(void *context, struct watch_exits *exits)
{
    int there = atomic_load(&shared->there);

    (void)context;
    for (int i = atomic_load(&shared->told) + 1; i <= there; i++) {
        const struct watch_exit exit = {
            .wall_ns = i, .pid = (uint32_t)i, .reason = "timed out", .trace = "\"main\""};
        watch_exit_add(exits, &exit);
    }
    atomic_store(&shared->asked, there);
}

static void note_told(void *context)
{
    (void)context;
    atomic_store(&shared->told, atomic_load(&shared->asked));
}

static bool start(const char *folder)
{
    const struct watch_host host = {.process = "exited", .exits = give, .exits_told = note_told};

    lives_keep_all();
    (void)watch_set("spool", folder);
    watch_set_host(&host);
    return watch_start();
}

static int run_child(const char *folder)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!start(folder)) {
        return 1;
    }
    for (;;) {
        (void)pause();
    }
}

static bool kill_one(const char *folder, long after_us)
{
    const struct timespec time = {.tv_nsec = after_us * 1000};
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        _exit(run_child(folder));
    }
    (void)nanosleep(&time, NULL);
    (void)kill(child, SIGKILL);
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

/* Tells what the last one left. All there was is told in the end. */
static bool run_last(const char *folder)
{
    bool runs = start(folder);

    for (int i = 0; i < 6000 && runs && atomic_load(&shared->told) < atomic_load(&shared->there);
         i++) {
        lives_sleep_ms(10);
    }
    watch_stop();
    return runs && atomic_load(&shared->told) == atomic_load(&shared->there);
}

/* ---- What there is in the end ---- */

static int published[MOST];

/* HHMMSS.mmm-DETAIL-KEY-START-NUMBER.json */
static void take_file(const char *file)
{
    const char *number = strrchr(file, '-');
    long exit = number != NULL ? strtol(number + 1, NULL, 10) : 0;

    if (strstr(file, "-EXIT_ANR-") != NULL && exit > 0 && exit < MOST) {
        published[exit]++;
    }
}

int main(int argument_count, char **values)
{
    int rounds = argument_count > 1 ? (int)strtol(values[1], NULL, 10) : 60;
    char folder[] = "/tmp/methodbeat-exited-XXXXXX";
    int lost = 0;
    int doubles = 0;

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || mkdtemp(folder) == NULL) {
        return 1;
    }
    bool is_well = true;
    for (int i = 0; i < rounds && is_well; i++) {
        int left = atomic_load(&shared->there) - atomic_load(&shared->told);
        atomic_fetch_add(&shared->there, left < 8 ? AT_ONCE : 0); /* 16 are kept */
        is_well = kill_one(folder, 200 + i * 971 % 16000);
    }
    is_well = is_well && run_last(folder);
    lives_remove_folder(folder, take_file);
    int there = atomic_load(&shared->there);
    for (int i = 1; i <= there && i < MOST; i++) {
        lost += published[i] == 0;
        doubles += published[i] > 1;
    }
    (void)printf("%d kills: %d exits, %d lost, %d twice\n", rounds, there, lost, doubles);
    return is_well && lost == 0 && doubles == 0 ? 0 : 1;
}
