#include "process/jvm_look.h"

#include "base/interrupt.h"
#include "base/text.h"
#include "process/jvm_lock.h"
#include "process/jvm_maps.h"
#include "process/jvm_program.h"
#include "process/leftovers.h"
#include "process/status.h"
#include "process/trace.h"

#include <dirent.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_MS 3000 /* for one look */

struct look {
    const struct proc_foreign *process;
    struct proc_jvm_maps maps;
    struct proc_jvm_start start;
    struct proc_jvm_entry entry;
    bool catches_quit;
    bool is_free; /* nobody attaches to it */
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
        if (proc_foreign_read(&text, path)) {
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

static enum mb_status look_as_we_are(void *context, struct proc_foreign_work *work,
                                     struct mb_error *err)
{
    struct look *look = context;

    (void)work;
    (void)err;
    look->is_free = proc_jvm_is_free(look->process->pid);
    proc_jvm_start_read(&look->start, look->process->pid);
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
    mb_buf_put(&work->out, &look->entry, sizeof(look->entry));
    return MB_OK;
}

static void look_inside(struct look *look)
{
    const struct proc_foreign_errand errand = {
        .before = look_as_we_are, .run = look_as_user, .context = look, .most_ms = MOST_MS};
    struct mb_buf out = {0};
    struct mb_error err;

    if (proc_foreign_run(look->process, &errand, &out, NULL, &err) == MB_OK &&
        out.size == sizeof(look->entry)) {
        memcpy(&look->entry, out.bytes, sizeof(look->entry));
    } else {
        (void)snprintf(look->entry.refusal, sizeof(look->entry.refusal),
                       "it cannot be seen: %.100s", err.reason);
    }
    mb_buf_finish(&out);
}

/* False if the process has no JVM in it, or has ended meanwhile. Nothing is sent to it. */
static bool look_into(struct proc_jvm_entry *entry, const struct proc_foreign *process)
{
    struct look look = {.process = process, .entry = {.pid = process->pid, .uid = process->uid}};
    bool is_readable = proc_jvm_maps_read(&look.maps, process->pid);

    if (is_readable && look.maps.library[0] == '\0') {
        return false;
    }
    if (is_readable && !is_others(process)) {
        look_inside(&look);
    } else {
        proc_jvm_start_read(&look.start, process->pid);
        fill_entry(&look, NULL);
        is_readable = proc_jvm_is_java(&look.start);
        proc_jvm_start_finish(&look.start);
    }
    *entry = look.entry;
    return is_readable && proc_foreign_is_alive(process);
}

enum mb_status proc_jvm_open(struct proc_foreign *process, pid_t pid, struct mb_error *err)
{
    struct proc_jvm_entry entry = {0};

    if (!proc_foreign_open(process, pid)) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "no process has this number");
    }
    if (!look_into(&entry, process) && entry.refusal[0] == '\0') {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "not a HotSpot JVM: it has no libjvm.so");
    }
    return entry.refusal[0] == '\0' ? MB_OK
                                    : mb_fail(err, MB_IO, MB_NO_OFFSET, "%s", entry.refusal);
}

/* ---- All of them ---- */

static bool look_at(struct proc_jvm_entry *entry, pid_t pid)
{
    struct proc_foreign process;
    bool is_there = proc_foreign_open(&process, pid) && look_into(entry, &process);

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

    if (folder == NULL) {
        return mb_fail_file(err, "/proc", "cannot list the processes");
    }
    while (!mb_is_interrupted() && (item = readdir(folder)) != NULL) {
        uint64_t pid;
        if (mb_text_to_number(mb_text_of(item->d_name), INT_MAX, &pid) &&
            look_at(&entry, (pid_t)pid)) {
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
