/* Processes that are killed at random moments while their loop stalls: each stall whose stage ANR was
 * noticed is published exactly once, by them or by one that comes after, and nothing is that was no
 * stall.
 *
 * usage: killed [ROUNDS] */

#include "watch/methodbeat_watch.h"

#include <dirent.h>
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

static int64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 * MS + now.tv_nsec;
}

static void sleep_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    while (nanosleep(&time, &time) != 0) {
    }
}

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
    static const char *const settings[][2] = {
        {"sample_after_ms", "10"},
        {"sample_ms", "10"},
        {"lag_ms", "30"},
        {"anr_ms", "60"},
        {"hang_ms", "600000"},
        {"evil_enable", "off"},
        {"often", ""},
        {"cpu_enable", "off"},
        {"key_files", "100000"},
        {"detail_files", "100000"},
        {"key_daily", "100000"},
        {"spool_kb", "1000000"},
    };

    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        (void)watch_set(settings[i][0], settings[i][1]);
    }
    (void)watch_set("spool", folder);
    watch_set_host(&host);
    return watch_start();
}

static void stall(long ms)
{
    atomic_store(&shared->is_noticed, false);
    atomic_store(&shared->begun_ns, now_ns());
    watch_begin();
    sleep_ms(ms);
    watch_end();
    /* Rather counted twice than not at all, if this is when we are killed. */
    int64_t took = now_ns() - atomic_load(&shared->begun_ns);
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

    for (int dashes = 0; incident != NULL && dashes < 3; dashes++) {
        incident = strchr(incident + 1, '-');
    }
    if (incident == NULL || count == MOST) {
        return;
    }
    for (int i = 0; i < count; i++) {
        doubles += strcmp(names[i], incident) == 0;
    }
    (void)snprintf(names[count++], sizeof(names[0]), "%s", incident);
}

/* Count what is in the folder and those below, and remove all of it. */
static void empty_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    char path[4096];

    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        size_t size = strlen(entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (unlink(path) != 0) {
            empty_folder(path);
        } else if (size > 5 && strcmp(entry->d_name + size - 5, ".json") == 0) {
            take_file(entry->d_name);
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
    (void)rmdir(folder);
}

static bool kill_one(const char *folder, long after_ms)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        _exit(run_child(folder));
    }
    sleep_ms(after_ms);
    (void)kill(child, SIGKILL);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSIGNALED(status)) {
        return false;
    }
    int64_t begun = atomic_exchange(&shared->begun_ns, 0);
    atomic_fetch_add(&shared->possible,
                     begun != 0 && now_ns() - begun >= (LAG_MS - COARSE_MS) * MS);
    return true;
}

/* Publishes what the last one left. */
static bool run_last(const char *folder)
{
    bool runs = start(folder);

    sleep_ms(100);
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
    empty_folder(folder);
    int noticed = atomic_load(&shared->noticed);
    int possible = atomic_load(&shared->possible);
    (void)printf("%d kills: %d stalls noticed, %d possible, %d published, %d twice\n", rounds,
                 noticed, possible, count, doubles);
    return is_well && noticed <= count && count <= possible && doubles == 0 ? 0 : 1;
}
