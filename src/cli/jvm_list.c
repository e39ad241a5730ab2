#include "cli/jvm_list.h"

#include "base/text.h"
#include "cli/control_trace.h"
#include "cli/jvm.h"
#include "cli/jvm_maps.h"
#include "cli/jvm_program.h"
#include "cli/proc.h"

#include <dirent.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_user_name(uid_t uid, char *name, size_t size)
{
    const struct passwd *user = getpwuid(uid);

    if (user != NULL) {
        (void)snprintf(name, size, "%s", user->pw_name);
    } else {
        (void)snprintf(name, size, "%u", (unsigned)uid);
    }
}

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
static void read_version(struct cli_jvm_entry *entry, const char *library)
{
    char path[PATH_MAX + sizeof("/release")];
    struct mb_buf text = {0};

    (void)snprintf(path, PATH_MAX, "%s", library);
    for (int level = 0; level < 5 && text.size == 0 && strrchr(path, '/') != NULL; level++) {
        char *end = strrchr(path, '/');
        memcpy(end, "/release", sizeof("/release"));
        if (cli_proc_read_file(&text, entry->pid, path)) {
            take_version(entry->version, sizeof(entry->version),
                         (struct mb_text){(const char *)text.bytes, text.size});
        }
        *end = '\0';
    }
    mb_buf_finish(&text);
}

static bool is_recording(pid_t pid)
{
    struct cli_control_trace trace;
    bool is_it = cli_control_trace_find(&trace, (uint64_t)pid) == CLI_CONTROL_FOUND &&
                 atomic_load_explicit(&trace.header->state, memory_order_relaxed) == ABI_TRACE_OPEN;

    cli_control_trace_finish(&trace);
    return is_it;
}

/* False if the process is none, or has ended meanwhile. */
static bool look_at(struct cli_jvm_entry *entry, pid_t pid)
{
    struct cli_jvm_maps maps;
    struct cli_jvm jvm;
    struct mb_error err;
    bool is_readable = cli_jvm_maps_read(&maps, pid);

    *entry = (struct cli_jvm_entry){.pid = pid};
    if (is_readable ? maps.library[0] == '\0' : !cli_jvm_is_java(pid)) {
        return false;
    }
    if (cli_jvm_open(&jvm, pid, &err) != MB_OK) {
        (void)snprintf(entry->refusal, sizeof(entry->refusal), "%s", err.reason);
    }
    entry->uid = jvm.uid;
    cli_jvm_program(pid, entry->program, sizeof(entry->program));
    read_version(entry, maps.library);
    entry->is_recording = maps.has_recorder && is_recording(pid);
    return cli_jvm_is_alive(&jvm);
}

static int compare(const void *a, const void *b)
{
    pid_t first = ((const struct cli_jvm_entry *)a)->pid;
    pid_t second = ((const struct cli_jvm_entry *)b)->pid;

    return (first > second) - (first < second);
}

enum mb_status cli_jvm_list(struct mb_buf *entries, struct mb_error *err)
{
    DIR *folder = opendir("/proc");
    const struct dirent *item;
    struct cli_jvm_entry entry;

    if (folder == NULL) {
        enum mb_status status = mb_fail_errno(err, "cannot list the processes");
        mb_error_in_input(err, "/proc");
        return status;
    }
    while ((item = readdir(folder)) != NULL) {
        uint64_t pid;
        if (mb_text_to_number(mb_text_of(item->d_name), INT_MAX, &pid) &&
            look_at(&entry, (pid_t)pid)) {
            mb_buf_put(entries, &entry, sizeof(entry));
        }
    }
    (void)closedir(folder);
    if (entries->size > 0) {
        qsort(entries->bytes, entries->size / sizeof(entry), sizeof(entry), compare);
    }
    return mb_buf_check(entries, err);
}
