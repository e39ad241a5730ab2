/* Monitors and recorder as guests in a program that does what programs do: its signals, streams and
 * errno stay its own, its files too when it closes all descriptors that it does not know, and when
 * it starts another image of itself or takes another root, what it told is kept.
 *
 * usage: guest; guest again SPOOL: the other image */

#include "lives.h"
#include "monitor/watch/methodbeat_watch.h"
#include "recorder/methodbeat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 60000
#define FILES 64 /* of the program: more than we have open */
#define MOST_FD 256

static char folder[40];
static char spool[64];
static char trace[64];
static char *self;
static _Atomic(int) heard;

static void fail(const char *what)
{
    (void)printf("%s\n", what);
    exit(1);
}

static void must(bool holds, const char *what)
{
    if (!holds) {
        fail(what);
    }
}

static void close_all(void)
{
    for (int fd = 3; fd < MOST_FD; fd++) {
        (void)close(fd);
    }
}

/* ---- What is there ---- */

static int issues;

static int count_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    issues += type == FTW_F && path[walk->base] != '.' && strstr(path, "-CUSTOM-") != NULL;
    return 0;
}

static int count_issues(const char *where)
{
    issues = 0;
    (void)nftw(where, count_file, 16, FTW_PHYS);
    return issues;
}

static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;

    for (struct dirent *task = NULL; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        count += task->d_name[0] != '.';
    }
    (void)(tasks != NULL && closedir(tasks));
    return count;
}

static void make_folder(void)
{
    (void)snprintf(folder, sizeof(folder), "/tmp/methodbeat-guest-XXXXXX");
    must(mkdtemp(folder) != NULL, "no folder");
    (void)snprintf(spool, sizeof(spool), "%s/spool", folder);
    (void)snprintf(trace, sizeof(trace), "%s/trace", folder);
}

/* ---- The guests ---- */

static void hear(void *context, const struct watch_issue *issue)
{
    (void)context;
    (void)issue;
    atomic_fetch_add(&heard, 1);
}

static void start_monitors(const char *where)
{
    static const struct lives_setting settings[] = {
        {"evil_enable", "off"},   {"often", ""}, {"cpu_enable", "off"}, {"stall_ms", "10:30:2000"},
        {"keep", "7:32768:1000"}, {NULL, NULL},
    };
    const struct watch_host host = {.process = "guest"};

    must(lives_set(settings) && watch_set("spool", where), "settings");
    watch_set_host(&host);
    must(watch_listen(hear, NULL) && watch_start(), "monitors do not start");
}

static void start_recorder(void)
{
    struct beat_options options;

    beat_options_init(&options);
    options.file = trace;
    options.threads = BEAT_THREADS_ALL;
    options.profile = BEAT_ON;
    must(beat_start(&options), "the recorder does not start");
}

static void start_all(void)
{
    start_recorder();
    start_monitors(spool);
}

static void stop_all(void)
{
    watch_stop();
    beat_stop();
}

static void work(void)
{
    for (uint32_t i = 0; i < 1000; i++) {
        beat_i(1 + i % 7);
        beat_o(1 + i % 7);
    }
}

/* And wait until it is written. */
static void tell(const char *detail)
{
    int before = atomic_load(&heard);

    must(watch_report(detail, NULL, "[1,2,3]"), "it is not told");
    for (int waited = 0; atomic_load(&heard) == before && waited < PATIENCE_MS; waited++) {
        lives_sleep_ms(1);
    }
    must(atomic_load(&heard) > before, "nobody hears of it");
}

/* With a note: it takes three times as long as it needs for one, however late the watcher is. */
static void stall(void)
{
    watch_begin();
    work();
    lives_sleep_ms(100);
    watch_end();
}

/* ---- Signals, descriptors, errno ---- */

static void read_actions(struct sigaction actions[NSIG])
{
    memset(actions, 0, NSIG * sizeof(actions[0]));
    for (int i = 1; i < NSIG; i++) {
        (void)sigaction(i, NULL, &actions[i]);
    }
}

/* Ours take none: of all that may be blocked. */
static void judge_masks(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;

    for (struct dirent *task = NULL; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        char path[400];
        char line[256];
        unsigned long long blocked = 0;
        (void)snprintf(path, sizeof(path), "/proc/self/task/%s/status", task->d_name);
        long thread = strtol(task->d_name, NULL, 10);
        FILE *file = thread > 0 && thread != getpid() ? fopen(path, "r") : NULL;
        while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
            (void)sscanf(line, "SigBlk: %llx", &blocked);
        }
        if (file != NULL) {
            (void)fclose(file);
            const int numbers[] = {SIGTERM, SIGINT,  SIGALRM, SIGCHLD, SIGUSR1,
                                   SIGUSR2, SIGPROF, SIGPIPE, SIGIO,   SIGRTMIN};
            for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
                if ((blocked >> (numbers[i] - 1) & 1) == 0) {
                    (void)printf("thread %s, signal %d: ", task->d_name, numbers[i]);
                    fail("a thread of ours takes it");
                }
            }
            count++;
        }
    }
    (void)(tasks != NULL && closedir(tasks));
    must(count >= 2, "there are no threads of ours");
}

static void judge_descriptors(int before)
{
    int count = 0;

    for (int fd = before; fd < MOST_FD; fd++) {
        int flags = fcntl(fd, F_GETFD);
        must(flags < 0 || (flags & FD_CLOEXEC) != 0, "a descriptor is left to other programs");
        count += flags >= 0;
    }
    must(count > 0, "there are no descriptors of ours");
}

static void judge_surroundings(void)
{
    static struct sigaction before[NSIG];
    static struct sigaction after[NSIG];
    int free_fd = open("/dev/null", O_RDONLY);
    mode_t mask = umask(0);

    (void)umask(mask);
    (void)close(free_fd);
    read_actions(before);
    start_all();
    stall();
    tell("here");
    judge_masks();
    judge_descriptors(free_fd);
    stop_all();
    read_actions(after);
    for (int i = 1; i < NSIG; i++) {
        must(before[i].sa_handler == after[i].sa_handler, "a signal has changed");
    }
    must(umask(mask) == mask, "umask has changed");
    must(count_issues(spool) == 1, "its issue is not there");
}

static void *probe(void *unused)
{
    errno = 1234;
    beat_i(1);
    beat_o(1);
    must(errno == 1234, "a probe changes errno");
    watch_begin();
    watch_end();
    must(errno == 1234, "a message changes errno");
    return unused;
}

/* Where all goes wrong at the first probe, too. */
static void judge_errno(void)
{
    pthread_t thread;
    char none[80];

    (void)snprintf(none, sizeof(none), "%s/none/none", folder);
    (void)setenv("METHODBEAT_FILE", none, 1);
    (void)probe(NULL);
    (void)unsetenv("METHODBEAT_FILE");
    start_all();
    (void)probe(NULL);
    must(pthread_create(&thread, NULL, probe, NULL) == 0 && pthread_join(thread, NULL) == 0,
         "no thread");
    stop_all();
}

/* ---- All descriptors closed ---- */

static void open_own(int fds[FILES])
{
    for (int i = 0; i < FILES; i++) {
        char path[100];
        (void)snprintf(path, sizeof(path), "%s/own-%d", folder, i);
        fds[i] = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        must(fds[i] >= 0 && write(fds[i], "own", 3) == 3, "no file of its own");
    }
}

static void judge_own(const int fds[FILES])
{
    for (int i = 0; i < FILES; i++) {
        char text[8] = "";
        struct stat status;
        must(fstat(fds[i], &status) == 0, "a file of the program is closed");
        must(status.st_size == 3 && pread(fds[i], text, sizeof(text), 0) == 3 &&
                 strcmp(text, "own") == 0,
             "a file of the program is written to");
    }
}

/* What was told is written, and nobody writes any more: there are this thread, the keeper and the
 * watcher, which rests. Who closes what others are about to write to cannot be helped. */
static void wait_for_rest(void)
{
    bool is_busy = true;

    for (int waited = 0; is_busy && waited < PATIENCE_MS; waited += 10) {
        lives_sleep_ms(10);
        (void)count_issues(spool);
        is_busy = issues == 0 || count_threads() > 3;
    }
    must(!is_busy, "it does not rest");
}

static void judge_closed_descriptors(void)
{
    static int fds[FILES];

    start_recorder();
    start_monitors(spool);
    stall();
    tell("before");
    wait_for_rest();
    close_all();
    open_own(fds);
    for (uint32_t i = 0; i < 200000; i++) { /* the profile grows */
        beat_i(1 + i % 1000);
    }
    for (int i = 0; i < 3; i++) {
        stall();
        tell("after");
    }
    stop_all();
    judge_own(fds);
    must(count_issues(spool) == 4, "an issue is not there");
    start_recorder(); /* and goes on */
    work();
    beat_stop();
    judge_own(fds);
}

/* ---- Another image, another root ---- */

static void judge_another_image(void)
{
    char again[] = "again";
    char *const words[] = {self, again, spool, NULL};

    start_all();
    tell("first");
    must(watch_report("last", NULL, NULL), "it is not told");
    (void)execv("/proc/self/exe", words);
    fail("no other image");
}

static int be_another_image(const char *where)
{
    start_monitors(where);
    tell("again");
    watch_stop();
    int count = count_issues(where);
    must(count == 2 || count == 3,
         "issues of the first image"); /* the last one is of its last moment */
    for (int fd = 3; fd < MOST_FD; fd++) {
        must(fcntl(fd, F_GETFD) < 0, "a descriptor came along");
    }
    return 0;
}

static void judge_moved(void)
{
    char away[80];

    (void)snprintf(away, sizeof(away), "%s/away", folder);
    start_all();
    tell("before");
    must(rename(spool, away) == 0 && close(open(spool, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)) == 0,
         "it cannot be moved");
    tell("after");
    stop_all();
    must(count_issues(away) == 2, "an issue is not where the spool went");
}

static bool put_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool is_put = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    (void)(fd >= 0 && close(fd));
    return is_put;
}

/* Whoever is not root is it in a world of its own, where that is allowed. */
static void become_root(void)
{
    char map[64];

    (void)snprintf(map, sizeof(map), "0 %u 1", (unsigned)getuid());
    if (getuid() != 0 && unshare(CLONE_NEWUSER) == 0) {
        (void)(put_text("/proc/self/setgroups", "deny") && put_text("/proc/self/uid_map", map));
    }
}

static void judge_another_root(void)
{
    char jail[80];

    become_root();
    (void)snprintf(jail, sizeof(jail), "%s/jail", folder);
    must(mkdir(jail, 0500) == 0, "no jail");
    int outside = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    start_all();
    tell("before");
    if (chroot(jail) != 0) {
        (void)printf("another root: not allowed here: %s\n", strerror(errno));
        stop_all();
        return;
    }
    must(chdir("/") == 0, "no other root");
    (void)close(open("/tmp", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)); /* root may write anywhere */
    tell("after");
    stop_all();
    must(fchdir(outside) == 0 && chroot(".") == 0, "no way back");
    must(count_issues(spool) == 2, "an issue is not there");
}

/* ---- All ---- */

static bool run_apart(const char *what, void (*judge)(void))
{
    make_folder();
    pid_t child = fork();
    int status = 1;

    if (child == 0) {
        close_all(); /* whatever we were started with */
        judge();
        exit(0);
    }
    bool is_well = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    (void)printf("%s: %s\n", what, is_well ? "well" : "wrong");
    (void)fflush(stdout);
    lives_remove_folder(folder, NULL);
    return is_well;
}

int main(int count, char **values)
{
    self = values[0];
    if (count == 3) {
        return be_another_image(values[2]);
    }
    bool is_well = run_apart("surroundings", judge_surroundings);
    is_well = run_apart("errno", judge_errno) && is_well;
    is_well = run_apart("closed descriptors", judge_closed_descriptors) && is_well;
    is_well = run_apart("another image", judge_another_image) && is_well;
    is_well = run_apart("moved away", judge_moved) && is_well;
    is_well = run_apart("another root", judge_another_root) && is_well;
    return is_well ? 0 : 1;
}
