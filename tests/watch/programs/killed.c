/* Processes that are killed at random moments while their loop stalls: each stall whose stage ANR
 * was noticed is published exactly once, by them or by one that comes after, and nothing is that
 * was no stall.
 *
 * usage: killed [ROUNDS] */

#include "lives.h"
#include "monitor/watch/methodbeat_watch.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)
#define LAG_MS 30
#define COARSE_MS 12
#define MOST 4096

/* Between all of them. */
struct shared {
    _Atomic(int) noticed;      /* stalls whose note is written: its second stage was reached */
    _Atomic(int) possible;     /* stalls that were over and may have been long enough */
    _Atomic(int64_t) begun_ns; /* of the open one; 0: none */
    _Atomic(bool) is_noticed;  /* the open one */
};

static struct shared *shared;

/* ---- The processes ---- */

/* Asked for as the stage ANR is reached, when its note is there. */
static char *take_stacks(void *context)
{
    (void)context;
    if (atomic_load(&shared->begun_ns) != 0 && !atomic_exchange(&shared->is_noticed, true)) {
        atomic_fetch_add(&shared->noticed, 1);
    }
    return NULL;
}

static bool start(const char *folder)
{
    const struct watch_host host = {.process = "killed", .stacks = take_stacks};
    static const struct lives_setting settings[] = {
        {"stall_ms", "10:30:60:600000"}, {"evil_enable", "off"}, {"often", ""},
        {"cpu_enable", "off"},           {NULL, NULL},
    };

    (void)lives_set(settings);
    lives_keep_all();
    (void)watch_set("spool", folder);
    watch_set_host(&host);
    return watch_start();
}

static void stall(long ms)
{
    atomic_store(&shared->is_noticed, false);
    atomic_store(&shared->begun_ns, lives_now_ns());
    watch_begin();
    lives_sleep_ms(ms);
    watch_end();
    /* Rather counted twice than not at all, if this is when we are killed. */
    int64_t took = lives_now_ns() - atomic_load(&shared->begun_ns);
    atomic_fetch_add(&shared->possible, took >= (LAG_MS - COARSE_MS) * MS);
    atomic_store(&shared->begun_ns, 0);
}

static int run_child(const char *folder)
{
    static const long lengths[] = {2, 200, 1, 120, 3, 160};

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!start(folder)) {
        return 1;
    }
    for (int i = 0;; i++) {
        stall(lengths[i % 6]);
    }
}

/* ---- What there is in the end ---- */

static char names[MOST][64]; /* of incidents: what is behind the key in a file's name */
static int count;
static int doubles;

/* HHMMSS.mmm-DETAIL-KEY-START-NUMBER.json */
static void take_file(const char *file)
{
    const char *incident = file;
    size_t size = strlen(file);

    for (int dashes = 0; incident != NULL && dashes < 3; dashes++) {
        incident = strchr(incident + 1, '-');
    }
    if (incident == NULL || count == MOST || size < 5 || strcmp(file + size - 5, ".json") != 0) {
        return;
    }
    for (int i = 0; i < count; i++) {
        doubles += strcmp(names[i], incident) == 0;
    }
    (void)snprintf(names[count++], sizeof(names[0]), "%s", incident);
}

static bool kill_one(const char *folder, long after_ms)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        _exit(run_child(folder));
    }
    lives_sleep_ms(after_ms);
    (void)kill(child, SIGKILL);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSIGNALED(status)) {
        return false;
    }
    int64_t begun = atomic_exchange(&shared->begun_ns, 0);
    atomic_fetch_add(&shared->possible,
                     begun != 0 && lives_now_ns() - begun >= (LAG_MS - COARSE_MS) * MS);
    return true;
}

/* Publishes what the last one left. */
static bool run_last(const char *folder)
{
    bool runs = start(folder);

    lives_sleep_ms(100);
    watch_stop();
    return runs;
}

int main(int argument_count, char **values)
{
    int rounds = argument_count > 1 ? (int)strtol(values[1], NULL, 10) : 40;
    char folder[] = "/tmp/methodbeat-killed-XXXXXX";

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || mkdtemp(folder) == NULL) {
        return 1;
    }
    bool is_well = true;
    for (int i = 0; i < rounds && is_well; i++) {
        is_well = kill_one(folder, 20 + i * 97 % 400);
    }
    is_well = is_well && run_last(folder);
    lives_remove_folder(folder, take_file);
    int noticed = atomic_load(&shared->noticed);
    int possible = atomic_load(&shared->possible);
    (void)printf("%d kills: %d stalls noticed, %d possible, %d published, %d twice\n", rounds,
                 noticed, possible, count, doubles);
    return is_well && noticed <= count && count <= possible && doubles == 0 ? 0 : 1;
}
