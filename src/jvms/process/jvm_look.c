#include "jvms/process/jvm_look.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "jvms/process/foreign.h"
#include "jvms/process/jvm_program.h"
#include "jvms/process/status.h"
#include "jvms/process/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_MS 3000 /* for one look */
#define NEXT_MS 1000 /* where another process of its user did not answer */
#define MOST_SILENT 8u
#define LEAST_THREADS 6

/* Users whose processes did not answer, so that many of them do not take 3 s each. */
struct silence {
    uid_t users[64]; /* the last one stands for all others */
    unsigned counts[64];
};

struct look {
    const struct proc_foreign *process;
    struct proc_jvm_maps maps;
    struct proc_jvm_start start;
    struct proc_jvm_entry entry;
    bool is_jvm;
    bool catches_quit;
    bool is_free; /* no methodbeat is attached to it */
};

/* ---- What the system knows of it ---- */

static bool catches_quit(pid_t pid)
{
    char line[128];

    proc_status(pid, "SigCgt", line, sizeof(line));
    return (strtoull(line, NULL, 16) >> (SIGQUIT - 1) & 1) != 0;
}

static bool is_others(const struct proc_foreign *process)
{
    return geteuid() != 0 && geteuid() != process->uid;
}

/* Other programs die of SIGQUIT, some after catching it: nothing is sent on a guess. */
static const char *why_not(const struct look *look, const struct proc_jvm_maps *maps)
{
    const struct proc_foreign *process = look->process;

    if (is_others(process)) {
        return "it belongs to another user: run this as that user or as root";
    }
    if (maps == NULL || process->root < 0) {
        return geteuid() != 0 ? "its libraries cannot be seen: run this as root"
                              : "its libraries cannot be seen: the number of a JVM is needed, "
                                "'methodbeat jvms' lists them";
    }
    if (maps->library[0] == '\0' || maps->is_openj9) {
        return maps->is_openj9 ? "OpenJ9 is not supported"
                               : "not a HotSpot JVM: it has no libjvm.so";
    }
    if (proc_jvm_is_closed(&look->start)) {
        return "started with -XX:+DisableAttachMechanism";
    }
    return look->catches_quit ? NULL
                              : "SIGQUIT is not handled: started with -Xrs, or still starting";
}

static bool is_recording(pid_t pid)
{
    struct proc_trace trace;
    bool is_it =
        proc_trace_find(&trace, (uint64_t)pid) == PROC_TRACE_FOUND && proc_trace_is_open(&trace);

    proc_trace_finish(&trace);
    return is_it;
}

/* ---- The version ---- */

/* Of a line JAVA_VERSION="17.0.15"; "" if it is absent or strange. */
static void take_version(char *version, size_t size, struct mb_text release)
{
    const struct mb_text key = MB_TEXT("JAVA_VERSION=\"");
    struct mb_text line;
    size_t number = 0;

    while (mb_text_next_line(&release, &line, &number)) {
        if (mb_text_starts(line, key)) {
            line = mb_text_from(line, key.size);
            line = mb_text_split(&line, '"');
            (void)snprintf(version, size, "%.*s", (int)(line.size < size ? line.size : size),
                           line.data);
        }
    }
}

/* Of the file "release" above lib/server/libjvm.so; before 9 it is below jre/lib/ARCH. */
static void read_version(struct proc_jvm_entry *entry, const char *library)
{
    char path[PATH_MAX + sizeof("/release")];
    struct mb_buf text = {0};

    (void)snprintf(path, PATH_MAX, "%s", library);
    for (int level = 0; level < 5 && text.size == 0 && strrchr(path, '/') != NULL; level++) {
        char *end = strrchr(path, '/');
        memcpy(end, "/release", sizeof("/release"));
        if (mb_file_read_named(&text, path, PROC_FOREIGN_BYTES, NULL, NULL) == MB_OK) {
            take_version(entry->version, sizeof(entry->version),
                         (struct mb_text){(const char *)text.bytes, text.size});
        }
        *end = '\0';
    }
    mb_buf_finish(&text);
}

/* ---- A look ---- */

static void fill_entry(struct look *look, const struct proc_jvm_maps *maps)
{
    struct proc_jvm_entry *entry = &look->entry;
    const char *reason = why_not(look, maps);

    (void)snprintf(entry->refusal, sizeof(entry->refusal), "%s", reason != NULL ? reason : "");
    proc_jvm_program(&look->start, entry->program, sizeof(entry->program));
    proc_jvm_arguments(&look->start, entry->arguments, sizeof(entry->arguments));
}

/* False: what it is may be asked as its user. What is in its memory, as its command line, is read
 * here only: reading may wait for what a hostile process has mapped there. */
static bool look_from_outside(struct look *look)
{
    bool is_readable = proc_jvm_maps_read(&look->maps, look->process->pid);

    if (is_readable && look->maps.library[0] == '\0') {
        return true; /* it has no JVM */
    }
    proc_jvm_start_read(&look->start, look->process->pid);
    look->is_jvm = true;
    if (!is_readable || is_others(look->process)) {
        fill_entry(look, NULL);
        look->is_jvm = proc_jvm_is_java(&look->start);
        return true;
    }
    return false;
}

static void put_findings(const struct look *look, struct proc_foreign_work *work)
{
    mb_buf_put_u1(&work->out, look->is_jvm);
    mb_buf_put(&work->out, &look->entry, sizeof(look->entry));
}

static enum mb_status look_as_we_are(void *context, struct proc_foreign_work *work,
                                     struct mb_error *err)
{
    struct look *look = context;

    (void)err;
    work->is_done = look_from_outside(look);
    if (work->is_done) {
        put_findings(look, work);
        return MB_OK;
    }
    look->is_free = proc_jvm_is_free(look->process->pid);
    look->catches_quit = catches_quit(look->process->pid);
    look->entry.is_recording = look->maps.has_recorder && is_recording(look->process->pid);
    return MB_OK;
}

static enum mb_status look_as_user(void *context, struct proc_foreign_work *work,
                                   struct mb_error *err)
{
    struct look *look = context;

    (void)err;
    look->start.has_files = true;
    fill_entry(look, &look->maps);
    read_version(&look->entry, look->maps.library);
    proc_leftovers_remove(look->process->own_pid, look->is_free);
    put_findings(look, work);
    return MB_OK;
}

/* False if the process has no JVM in it, or has ended meanwhile. Nothing is sent to it. */
static bool look_into(struct proc_jvm_entry *entry, const struct proc_foreign *process,
                      unsigned *silent)
{
    struct look look = {.process = process, .entry = {.pid = process->pid, .uid = process->uid}};
    const struct proc_foreign_errand errand = {.before = look_as_we_are,
                                               .run = look_as_user,
                                               .context = &look,
                                               .most_ms = *silent > 0 ? NEXT_MS : MOST_MS};
    int64_t since_ns = mb_clock_now_ns();
    struct mb_buf out = {0};
    struct mb_error err;
    enum mb_status status =
        *silent < MOST_SILENT
            ? proc_foreign_run(process, &errand, &out, NULL, &err)
            : mb_fail(&err, MB_IO, MB_NO_OFFSET, "%u of its user did not answer", *silent);
    bool is_jvm = true;

    if (status == MB_OK && out.size == 1 + sizeof(look.entry)) {
        is_jvm = out.bytes[0] != 0;
        memcpy(&look.entry, out.bytes + 1, sizeof(look.entry));
    } else {
        (void)snprintf(look.entry.refusal, sizeof(look.entry.refusal), "it cannot be seen: %.100s",
                       err.reason);
    }
    *silent += status != MB_OK && mb_clock_now_ns() - since_ns > errand.most_ms * MB_NS_PER_MS;
    mb_buf_finish(&out);
    *entry = look.entry;
    return is_jvm && proc_foreign_is_alive(process);
}

enum mb_status proc_jvm_open(struct proc_foreign *process, pid_t pid, struct mb_error *err)
{
    struct proc_jvm_entry entry = {0};
    unsigned silent = 0;

    if (!proc_foreign_open(process, pid)) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "no process has this number");
    }
    if (!look_into(&entry, process, &silent) && entry.refusal[0] == '\0') {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "not a HotSpot JVM: it has no libjvm.so");
    }
    return entry.refusal[0] == '\0' ? MB_OK
                                    : mb_fail(err, MB_IO, MB_NO_OFFSET, "%s", entry.refusal);
}

/* ---- All of them ---- */

/* A JVM of ours catches SIGQUIT or, with -Xrs, has many threads: no child looks at the others,
 * which are most, so that those that end soon are seen. */
static bool may_be_jvm(pid_t pid)
{
    char threads[64];

    proc_status(pid, "Threads", threads, sizeof(threads));
    return strtoul(threads, NULL, 10) >= LEAST_THREADS || catches_quit(pid);
}

static unsigned *find_silent(struct silence *silence, uid_t user)
{
    size_t i = 0;

    while (i < MB_COUNT(silence->users) - 1 && silence->counts[i] > 0 &&
           silence->users[i] != user) {
        i++;
    }
    silence->users[i] = user;
    return &silence->counts[i];
}

static bool look_at(struct proc_jvm_entry *entry, pid_t pid, struct silence *silence)
{
    struct proc_foreign process;
    bool is_there = proc_foreign_open(&process, pid) && (is_others(&process) || may_be_jvm(pid)) &&
                    look_into(entry, &process, find_silent(silence, process.uid));

    proc_foreign_finish(&process);
    return is_there;
}

static int compare(const void *a, const void *b)
{
    const struct proc_jvm_entry *x = a;
    const struct proc_jvm_entry *y = b;

    return (x->pid > y->pid) - (x->pid < y->pid);
}

enum mb_status proc_jvm_list(union proc_jvms *entries, struct mb_error *err)
{
    DIR *folder = opendir("/proc");
    const struct dirent *item;
    struct proc_jvm_entry entry;
    struct silence silence = {0};

    if (folder == NULL) {
        return mb_fail_file(err, "/proc", "cannot list the processes");
    }
    while (!mb_is_interrupted() && (item = readdir(folder)) != NULL) {
        uint64_t pid;
        if (mb_text_to_number(mb_text_of(item->d_name), INT_MAX, &pid) &&
            look_at(&entry, (pid_t)pid, &silence)) {
            MB_VEC_PUSH(entries, entry);
        }
    }
    (void)closedir(folder);
    MB_TRY(mb_check_interrupt(err));
    MB_VEC_SORT(entries, compare);
    return mb_buf_check(&entries->buf, err);
}

void proc_user_name(uid_t uid, char *name, size_t size)
{
    const struct passwd *user = getpwuid(uid);

    if (user != NULL) {
        (void)snprintf(name, size, "%s", user->pw_name);
    } else {
        (void)snprintf(name, size, "%u", (unsigned)uid);
    }
}

/* ---- By the name of the program ---- */

typedef bool match_fn(const char *program, const char *name);

/* "app" is app.jar, and com.acme.app. */
static bool is_named(const char *program, const char *name)
{
    const char *shown = mb_last_part(program);
    struct mb_text text = mb_text_of(shown);

    if (strcmp(program, name) == 0 || strcmp(shown, name) == 0) {
        return true;
    }
    if (mb_text_ends(text, MB_TEXT(".jar"))) {
        text.size -= strlen(".jar");
        return mb_text_is(text, name);
    }
    return mb_text_is(mb_text_from(text, mb_text_after_last(text, '.')), name);
}

static bool has_part(const char *program, const char *name)
{
    return strstr(program, name) != NULL;
}

static void put_matches(union proc_jvms *matches, const union proc_jvms *all, match_fn *matcher,
                        const char *name)
{
    for (size_t i = 0; i < MB_VEC_COUNT(all); i++) {
        if (matcher(all->items[i].program, name)) {
            MB_VEC_PUSH(matches, all->items[i]);
        }
    }
}

enum mb_status proc_jvm_find(union proc_jvms *matches, const char *name, struct mb_error *err)
{
    union proc_jvms all = {0};
    enum mb_status status = proc_jvm_list(&all, err);

    put_matches(matches, &all, is_named, name);
    if (MB_VEC_COUNT(matches) == 0) {
        put_matches(matches, &all, has_part, name);
    }
    mb_buf_finish(&all.buf);
    return status == MB_OK ? mb_buf_check(&matches->buf, err) : status;
}

/* ---- One recording of a process at a time ---- */

#define PAUSE_NS 50000000 /* a process that only looks holds the lock for a moment */
#define MOST_TRIES 10

/* "1: FLOCK  ADVISORY  WRITE 4711 00:15:404294 0 EOF"; 0 if unknown. */
static int find_holder(int fd)
{
    FILE *file = fopen("/proc/locks", "re");
    char line[256];
    struct stat info;
    int holder = 0;

    while (file != NULL && fstat(fd, &info) == 0 && fgets(line, sizeof(line), file) != NULL) {
        const char *number = strstr(line, "WRITE ");
        uint64_t inode = 0;
        int pid = 0;
        if (number != NULL && strstr(line, "FLOCK") != NULL &&
            sscanf(number, "WRITE %d %*x:%*x:%" SCNu64, &pid, &inode) == 2 &&
            inode == info.st_ino) {
            holder = pid;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return holder;
}

/* The file is the process's own, and only who may look into the process can open it. */
static int open_lock(pid_t pid)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool proc_jvm_is_free(pid_t pid)
{
    int fd = open_lock(pid);

    return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

enum mb_status proc_jvm_lock(pid_t pid, int *fd, struct mb_error *err)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};

    *fd = open_lock(pid);
    for (int tries = 0; *fd >= 0 && tries < MOST_TRIES; tries++) {
        if (flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
            return MB_OK;
        }
        (void)nanosleep(&pause, NULL);
    }
    if (*fd < 0) {
        return MB_OK;
    }
    int holder = find_holder(*fd);
    (void)close(*fd);
    *fd = -1;
    return holder > 0 ? mb_fail(err, MB_IO, MB_NO_OFFSET,
                                "another methodbeat records it, process %d: wait for its end, or "
                                "end it with Ctrl-C",
                                holder)
                      : mb_fail(err, MB_IO, MB_NO_OFFSET,
                                "another methodbeat records it: wait for its end");
}
