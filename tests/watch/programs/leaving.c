/* What processes leave that are killed at random moments: each issue of their own that the watcher
 * had time to see is published exactly once, by them or by one that comes after, with its value.
 *
 * usage: left [ROUNDS] */

#include "lives.h"
#include "monitor/watch/methodbeat_watch.h"

#include <dirent.h>
#include <ftw.h>
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

#define MOST 16384
#define ON_THE_WAY 8 /* fewer than there are places */
#define VALUE_SIZE 65535
#define MOST_LAST 100
#define A_LIFE 150 /* issues at most */

/* Between all of them. */
static struct shared {
    _Atomic(int) told;           /* from 0 on, whoever tells */
    _Atomic(bool) is_seen[MOST]; /* by the watcher, and so noted */
    _Atomic(int64_t) told_ns[MOST];
    int64_t killed_ns[MOST]; /* who told it */
} * shared;

static char folder[] = "/tmp/methodbeat-left-XXXXXX";

static void sleep_us(long us)
{
    (void)nanosleep(
        &(const struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

/* ---- The processes ---- */

static _Atomic(int) first_heard; /* of this life's own */
static _Atomic(int) heard;

/* {"n":NUMBER,"pad":"xxx"} */
static int number_in(const char *json)
{
    const char *value = strstr(json, "\"value\":{\"n\":");

    return value != NULL ? (int)strtol(value + strlen("\"value\":{\"n\":"), NULL, 10) : -1;
}

static void hear(void *context, const struct watch_issue *issue)
{
    (void)context;
    atomic_fetch_add(&heard, number_in(issue->json) >= atomic_load(&first_heard));
}

static bool start(void)
{
    static const struct lives_setting settings[] = {
        {"evil_enable", "off"},  {"often", ""}, {"cpu_enable", "off"},
        {"stall_enable", "off"}, {NULL, NULL},
    };
    const struct watch_host host = {.process = "left"};

    (void)lives_set(settings);
    lives_keep_all();
    (void)watch_set("keep", "7:10000000");
    (void)watch_set("spool", folder);
    watch_set_host(&host);
    (void)watch_listen(hear, NULL);
    return watch_start();
}

static uint64_t looks(void)
{
    struct watch_counters counters;

    watch_read_counters(&counters);
    return counters.looks;
}

/* Each 16th is as long as may be. */
static const char *value_of(int number)
{
    static char text[VALUE_SIZE + 1];
    int head = snprintf(text, sizeof(text), "{\"n\":%d,\"pad\":\"", number);
    size_t size = number % 16 == 0 ? VALUE_SIZE : (size_t)head + 12;

    memset(text + head, 'x', size - (size_t)head);
    memcpy(text + size - 2, "\"}", 3);
    return text;
}

/* A look that began after it was told is over: the second one from then. */
static void look_at_those_told(int first, const uint64_t *looks_at)
{
    static int unseen;
    uint64_t now = looks();

    for (unseen = unseen > first ? unseen : first;
         unseen < atomic_load(&shared->told) && now >= looks_at[unseen] + 2; unseen++) {
        atomic_store(&shared->is_seen[unseen], true);
    }
}

static void send_message(void)
{
    watch_begin();
    watch_end();
}

static int live(void)
{
    static uint64_t looks_at[MOST];
    int first = atomic_load(&shared->told);

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    atomic_store(&first_heard, first);
    if (!start()) {
        return 1;
    }
    for (int number = first; number < MOST; number++) {
        while (number - first == A_LIFE) {
            sleep_us(1000);
        }
        while (number - first - atomic_load(&heard) >= ON_THE_WAY) {
            look_at_those_told(first, looks_at);
            sleep_us(50);
        }
        send_message();
        const char *value = value_of(number);
        atomic_store(&shared->told_ns[number], lives_now_ns());
        atomic_store(&shared->told, number + 1); /* rather one that was not */
        if (!watch_report("kept", number % 2 == 0 ? "even" : NULL, value)) {
            return 2;
        }
        looks_at[number] = looks();
        for (int i = 0; i < number % 5; i++) {
            sleep_us(1000);
            look_at_those_told(first, looks_at);
        }
    }
    return 3;
}

static int find_left(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    return type == FTW_F && path[walk->base] == '.';
}

/* Publishes what others left, as long as something comes; its loops rest meanwhile. More than it
 * can take at a start is for the next one. */
static int live_on(void)
{
    int before = -1;

    if (!start()) {
        return 1;
    }
    while (atomic_load(&heard) != before) {
        before = atomic_load(&heard);
        sleep_us(200000);
    }
    watch_stop();
    return 0;
}

/* ---- What there is ---- */

static int found[MOST];
static int file_count;

static char *read_file(const char *path)
{
    static char text[2 * VALUE_SIZE];
    FILE *file = fopen(path, "r");
    size_t size = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;

    (void)(file != NULL && fclose(file));
    text[size] = '\0';
    return text;
}

static int take_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    if (type == FTW_F && strstr(path, "-CUSTOM-") != NULL && path[walk->base] != '.') {
        const char *text = read_file(path);
        int number = number_in(text);
        if (number >= 0 && number < MOST && strstr(text, value_of(number)) != NULL) {
            found[number]++;
        }
        file_count++;
    }
    return 0;
}

static void look(void)
{
    memset(found, 0, sizeof(found));
    file_count = 0;
    (void)nftw(folder, take_file, 16, FTW_PHYS);
}

/* ---- Lives and deaths ---- */

static bool kill_one(long after_us)
{
    int first = atomic_load(&shared->told);
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        _exit(live());
    }
    sleep_us(after_us);
    int64_t now = lives_now_ns();
    (void)kill(child, SIGKILL);
    bool is_killed = child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status);
    for (int number = first; number < atomic_load(&shared->told); number++) {
        shared->killed_ns[number] = now;
    }
    if (!is_killed) {
        (void)printf("a life of status %x\n", (unsigned)status);
    }
    return is_killed;
}

/* The last ones are children, too: this process has no threads. */
static bool publish_left(void)
{
    bool is_left = true;

    for (int i = 0; i < MOST_LAST && is_left; i++) {
        pid_t child = fork();
        int status = 1;
        if (child == 0) {
            _exit(live_on());
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            return false;
        }
        is_left = nftw(folder, find_left, 16, FTW_PHYS) != 0;
    }
    return !is_left;
}

static bool judge_issues(void)
{
    int told = atomic_load(&shared->told);
    int seen = 0;
    int lost = 0;
    int late = 0;
    int twice = 0;
    int64_t oldest_ns = 0; /* of those of the last moment, before the kill */

    look();
    for (int i = 0; i < told; i++) {
        bool was_seen = atomic_load(&shared->is_seen[i]);
        int64_t age_ns = shared->killed_ns[i] - atomic_load(&shared->told_ns[i]);
        seen += was_seen;
        lost += was_seen && found[i] == 0;
        late += !was_seen && found[i] == 0;
        twice += found[i] > 1;
        file_count -= found[i];
        oldest_ns = found[i] == 0 && age_ns > oldest_ns ? age_ns : oldest_ns;
    }
    (void)printf("%d told, %d seen, %d lost, %d twice, %d others; "
                 "%d of the last moment are not there, %lld us before the kill\n",
                 told, seen, lost, twice, file_count, late, (long long)(oldest_ns / 1000));
    return seen > 0 && lost == 0 && twice == 0 && file_count == 0;
}

int main(int argument_count, char **values)
{
    int rounds = argument_count > 1 ? (int)strtol(values[1], NULL, 10) : 30;

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || mkdtemp(folder) == NULL) {
        return 1;
    }
    bool is_well = true;
    for (int i = 0; i < rounds && is_well; i++) {
        is_well = kill_one(5000 + (long)i * 7919 % 60000);
    }
    is_well = is_well && publish_left() && judge_issues();
    lives_remove_folder(folder, NULL);
    return is_well ? 0 : 1;
}
