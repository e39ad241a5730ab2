/* Lives that end at any moment: killed -9 at random times, before or after any call that changes a
 * file, and with any call to the system failing. Each stall that was noted is published at least
 * once, by its process or by a later one, in a whole file; twice only where a file could not be
 * removed.
 *
 * usage: kept random|steps|errors|memory. Linked so that the spool's calls come by here (--wrap).
 */
#include "../../watch/programs/lives.h"
#include "base/file.h"
#include "monitor/spool/files.h"
#include "monitor/spool/folder.h"
#include "monitor/spool/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIVES 1024u
#define STALLS 64u /* a life */
#define KILLS 200u
#define DAY INT64_C(20778)

enum end { LIVE_ON, DIE_BEFORE, DIE_AFTER, FAIL };

/* What all lives share. */
static struct shared {
    _Atomic(int) calls;
    _Atomic(uint8_t) is_noted[LIVES][STALLS];
    _Atomic(uint32_t) published; /* by the life at hand */
    _Atomic(uint32_t) heard;
} * shared;

static uint8_t found[LIVES][STALLS];
static char folder[] = "/tmp/mb_keptXXXXXX";
static enum end end;
static int end_at; /* counted from 1; 0: never */
static int end_errno;
static bool is_of_memory; /* the calls that are counted */

static void fail(const char *what)
{
    (void)fprintf(stderr, "call %d, end %d, %s: %s\n", end_at, (int)end, strerror(end_errno), what);
    exit(1);
}

/* ---- Calls ---- */

/* True if the call is to fail. */
static bool begin_call(bool asks_for_memory)
{
    if (end == LIVE_ON || asks_for_memory != is_of_memory ||
        atomic_fetch_add(&shared->calls, 1) + 1 != end_at) {
        return false;
    }
    if (end == DIE_BEFORE) {
        (void)kill(getpid(), SIGKILL);
    }
    errno = end_errno;
    return end == FAIL;
}

static void finish_call(void)
{
    if (end == DIE_AFTER && atomic_load(&shared->calls) >= end_at) {
        (void)kill(getpid(), SIGKILL);
    }
}

#define WRAP(name, parameters, arguments)                              \
    int __real_##name parameters;                                      \
    int __wrap_##name parameters;                                      \
    int __wrap_##name parameters                                       \
    {                                                                  \
        int result = begin_call(false) ? -1 : __real_##name arguments; \
        int error = errno;                                             \
        finish_call();                                                 \
        errno = error;                                                 \
        return result;                                                 \
    }

WRAP(openat64, (int above, const char *path, int flags, ...), (above, path, flags, 0600))
WRAP(mkdirat, (int above, const char *path, mode_t mode), (above, path, mode))
WRAP(renameat, (int from, const char *old, int to, const char *new), (from, old, to, new))
WRAP(unlinkat, (int above, const char *path, int flags), (above, path, flags))

ssize_t __real_pwrite64(int fd, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t size, off_t at)
{
    ssize_t result = begin_call(false) ? -1 : __real_pwrite64(fd, bytes, size, at);
    int error = errno;

    finish_call();
    errno = error;
    return result;
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return begin_call(true) ? NULL : __real_calloc(count, size);
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return begin_call(true) ? NULL : __real_malloc(size);
}

void *__real_realloc(void *bytes, size_t size);
void *__wrap_realloc(void *bytes, size_t size);
void *__wrap_realloc(void *bytes, size_t size)
{
    return begin_call(true) ? NULL : __real_realloc(bytes, size);
}

/* ---- A life ---- */

static struct mb_text find_name(const void *context, uint32_t name)
{
    static const char *const names[] = {"com.x", "HIGH", "a.b.Main", "load",
                                        "run",   "cart", "[1,2]"};

    (void)context;
    return mb_text_of(names[name - 1]);
}

static void hear(void *context, const struct spool_notice *issue)
{
    (void)context;
    if (issue->json[0] != '{' || issue->json[issue->json_size] != '\0') {
        fail("an issue that is none");
    }
    atomic_fetch_add(&shared->heard, 1);
}

static int64_t tell_time(void)
{
    return (DAY * 86400 + 51000) * INT64_C(1000000000);
}

struct life {
    uint32_t number;
    struct mon_options options;
    struct mon_names names;
    struct spool *spool;
};

static void take(struct life *life, enum mon_action_kind kind, const struct mon_issue *issue)
{
    const struct mon_action action = {.kind = kind, .issue = issue};

    spool_take(life->spool, &action, &life->options);
}

static void wait_for(uint32_t published)
{
    while (atomic_load(&shared->heard) < published) {
        (void)nanosleep(&(const struct timespec){.tv_nsec = 20000}, NULL);
    }
}

/* Each second one is the program's own. */
static struct mon_issue describe(uint64_t start, uint32_t number)
{
    static const struct mon_report own = {.detail = 6, .key = 6, .json = 7, .thread = 5};
    static const struct mon_frames frames = {.count = 2, .names = {4, 5}};
    static const struct mon_hottest hottest = {.frames = &frames, .samples = 1, .repeats = {1, 1}};
    static const struct mon_process process = {.name = 1, .machine = 2};

    return (struct mon_issue){.detail = number % 2 == 0 ? MON_LAG : MON_CUSTOM,
                              .start = start,
                              .span.number = number,
                              .cost_ns = 3000000000,
                              .span.watched_ns = 3000000000,
                              .cpu_ns = -1,
                              .scene = 3,
                              .process = &process,
                              .hottest = &hottest,
                              .report = number % 2 == 0 ? NULL : &own};
}

static void publish(struct life *life, const struct mon_issue *issue)
{
    take(life, MON_ISSUE, issue);
    atomic_fetch_add(&shared->published, 1);
}

static void publish_left(struct life *life)
{
    spool_write(life->spool);
    while (!spool_is_written(life->spool)) {
        (void)nanosleep(&(const struct timespec){.tv_nsec = 20000}, NULL);
    }
}

/* Two stalls at a time. */
static void stall(struct life *life, uint32_t number)
{
    struct mon_issue issues[2] = {describe(life->number, number),
                                  describe(life->number, number + 1)};

    uint32_t before = atomic_load(&shared->heard);
    for (int i = 0; i < 2; i++) {
        take(life, MON_NOTE, &issues[i]);
        shared->is_noted[life->number][number + (uint32_t)i] = 1;
    }
    for (int i = 0; i < 2; i++) {
        issues[i].span.watched_ns += 1;
        take(life, MON_NOTE, &issues[i]);
        publish(life, &issues[i]);
    }
    wait_for(before + 2);
}

static void set_options(struct mon_options *options)
{
    mon_options_init(options);
    options->key_files = options->key_daily = options->detail_files = 1000000;
    options->spool_kb = 1 << 30;
}

static void live(uint32_t number, uint32_t stalls)
{
    struct life life = {.number = number, .names = {find_name, NULL}};
    const struct spool_setup setup = {.folder = folder,
                                      .process = "com.x",
                                      .options = &life.options,
                                      .names = &life.names,
                                      .notify = hear,
                                      .wall_ns = tell_time};
    struct mb_error err;

    set_options(&life.options);
    shared->heard = shared->published = 0;
    life.spool = spool_open(&setup, &err);
    if (life.spool == NULL && is_of_memory) {
        return;
    }
    if (life.spool == NULL) {
        fail("no memory");
    }
    publish_left(&life);
    for (uint32_t i = 0; i < stalls; i += 2) {
        stall(&life, i);
    }
    spool_close(life.spool, 60000);
}

/* In a process of its own; true if it was killed. */
static bool live_apart(uint32_t number, uint32_t stalls, int64_t kill_after_ns)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        live(number, stalls);
        _exit(0);
    }
    if (kill_after_ns > 0) {
        (void)nanosleep(&(const struct timespec){.tv_nsec = kill_after_ns}, NULL);
        (void)kill(child, SIGKILL);
    }
    if (waitpid(child, &status, 0) != child) {
        fail("waitpid");
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return false;
    }
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
        fail("a life ends badly");
    }
    return true;
}

/* ---- What is left of it ---- */

static uint32_t file_count;

static void look_at(void *context, const struct spool_file *file)
{
    struct mb_buf text = {0};

    (void)context;
    int fd = openat(file->folder, file->name, O_RDONLY);
    if (fd < 0 || mb_file_read_open(&text, fd, NULL) != MB_OK || text.size < 3 ||
        memcmp(text.bytes + text.size - 3, "}}\n", 3) != 0) {
        fail("a file is not whole");
    }
    (void)close(fd);
    mb_buf_finish(&text);
    if (file->parts.incident.start >= LIVES || file->parts.incident.number >= STALLS ||
        found[file->parts.incident.start][file->parts.incident.number]++ > 0) {
        fail("an issue is there twice");
    }
    file_count++;
}

static int open_folder(void)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "%s/com.x", folder);
    return open(path, O_RDONLY | O_DIRECTORY);
}

static int is_note(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    return type == FTW_F && path[walk->base] == '.' && path[walk->base + 1] != 'n';
}

/* Each noted stall once, if all could be written. */
static void judge(bool are_all_written)
{
    int com_x = open_folder();

    memset(found, 0, sizeof(found));
    file_count = 0;
    if (com_x < 0 || !spool_files_visit(com_x, look_at, NULL)) {
        fail("no folder");
    }
    for (uint32_t i = 0; are_all_written && i < LIVES; i++) {
        for (uint32_t n = 0; n < STALLS; n++) {
            if (shared->is_noted[i][n] > found[i][n]) {
                fail("a stall is lost");
            }
        }
    }
    if (nftw(folder, is_note, 16, FTW_PHYS) != 0) {
        fail("notes are left");
    }
    (void)close(com_x);
}

static void start_anew(void)
{
    lives_remove_folder(folder, NULL);
    (void)mkdir(folder, 0700);
    memset(shared, 0, sizeof(*shared));
}

/* ---- Ends ---- */

static uint64_t random_word(void)
{
    static uint64_t state = 88172645463325252;

    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void kill_at_random(void)
{
    uint32_t killed = 0;

    start_anew();
    for (uint32_t life = 1; killed < KILLS && life + 1 < LIVES; life++) {
        killed += live_apart(life, STALLS, 1 + (int64_t)(random_word() % 30000000));
    }
    (void)live_apart(0, 0, 0);
    judge(true);
    (void)printf("%u kills, %u stalls published once\n", killed, file_count);
}

/* Two lives, the first or the second one killed at each step; the third finds all. */
static void kill_at_steps(enum end how)
{
    uint32_t kills = 0;
    bool was_killed = true;

    for (int at = 1; was_killed; at++) {
        start_anew();
        end = how;
        end_at = at;
        was_killed = live_apart(1, 4, 0);
        end_at = at; /* the next one dies there, too: while it puts things right */
        shared->calls = 0;
        was_killed = live_apart(2, 2, 0) || was_killed;
        end = LIVE_ON;
        (void)live_apart(3, 2, 0);
        (void)live_apart(0, 0, 0);
        judge(true);
        kills += was_killed;
    }
    (void)printf("%u steps\n", kills);
}

/* Each call in turn, or each that asks for memory. How many there are. */
static int fail_each(void)
{
    int at = 0;
    bool has_failed = true;

    for (at = 1; has_failed; at++) {
        start_anew();
        end = FAIL;
        end_at = at;
        if (live_apart(1, 4, 0)) {
            fail("killed");
        }
        has_failed = shared->calls >= at;
        end = LIVE_ON;
        (void)live_apart(0, 2, 0);
        judge(is_of_memory);
    }
    return at - 1;
}

static void fail_each_call(int error)
{
    end_errno = error;
    (void)printf("%d calls fail with %s\n", fail_each(), strerror(error));
}

/* Whatever memory cannot be had: there is no spool, or it is as good as any. */
static void fail_memory(void)
{
    is_of_memory = true;
    (void)printf("%d calls ask for memory\n", fail_each());
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || mkdtemp(folder) == NULL) {
        fail("cannot begin");
    }
    if (strcmp(what, "random") == 0) {
        kill_at_random();
    } else if (strcmp(what, "steps") == 0) {
        kill_at_steps(DIE_BEFORE);
        kill_at_steps(DIE_AFTER);
    } else if (strcmp(what, "errors") == 0) {
        fail_each_call(ENOSPC);
        fail_each_call(EACCES);
    } else if (strcmp(what, "memory") == 0) {
        fail_memory();
    } else {
        return 2;
    }
    start_anew();
    return rmdir(folder) == 0 ? 0 : 1;
}
