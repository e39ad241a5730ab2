#include "jvms/process/notes.h"

#include "abi/run.h"
#include "base/file.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES ((size_t)1 << 20) /* of a JVM */

enum mb_status proc_notes_open(struct proc_notes *notes, struct mb_error *err)
{
    const char *place = getenv("TMPDIR");

    *notes = (struct proc_notes){0};
    (void)snprintf(notes->folder, sizeof(notes->folder), "%s/methodbeat-run-XXXXXX",
                   place != NULL && place[0] == '/' ? place : "/tmp");
    if (mkdtemp(notes->folder) == NULL) {
        enum mb_status status =
            mb_fail_file(err, notes->folder, "cannot make a folder for what JVMs tell");
        notes->folder[0] = '\0';
        return status;
    }
    if (geteuid() == 0) {
        (void)chmod(notes->folder, S_ISVTX | S_IRWXU | S_IWGRP | S_IXGRP | S_IWOTH | S_IXOTH);
    }
    return setenv(ABI_RUN_FOLDER, notes->folder, 1) == 0 ? MB_OK : mb_fail_memory(err);
}

typedef enum mb_status file_fn(struct proc_notes *notes, const char *path, const char *name,
                               struct mb_error *err);

static enum mb_status visit_files(struct proc_notes *notes, file_fn *visit, struct mb_error *err)
{
    DIR *folder = opendir(notes->folder);
    const struct dirent *entry = NULL;
    enum mb_status status = MB_OK;

    do {
        char path[sizeof(notes->folder) + NAME_MAX + 2];
        errno = folder != NULL ? 0 : errno;
        entry = folder != NULL ? readdir(folder) : NULL;
        if (entry != NULL) {
            (void)snprintf(path, sizeof(path), "%s/%s", notes->folder, entry->d_name);
            status = visit(notes, path, entry->d_name, err);
        }
    } while (entry != NULL && status == MB_OK);
    if (status == MB_OK && (folder == NULL || errno != 0)) {
        status = mb_fail_file(err, notes->folder, "cannot read what JVMs told");
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return status;
}

static enum mb_status remove_file(struct proc_notes *notes, const char *path, const char *name,
                                  struct mb_error *err)
{
    (void)notes;
    (void)name;
    (void)err;
    (void)unlink(path);
    return MB_OK;
}

void proc_notes_close(struct proc_notes *notes)
{
    if (notes->folder[0] != '\0') {
        (void)!visit_files(notes, remove_file, NULL);
        (void)rmdir(notes->folder);
    }
    notes->folder[0] = '\0';
}

void proc_notes_finish(struct proc_notes *notes)
{
    proc_notes_close(notes);
    mb_arena_finish(&notes->arena);
    mb_buf_finish(&notes->jvms.buf);
}

/* ---- Reading ---- */

/* A file of notes. */
struct noted {
    uid_t user;
    struct proc_noted_jvm jvm; /* as it begins */
};

/* A user names files of its own. */
static bool is_trace_of(const char *path, const struct noted *of)
{
    struct stat info;

    return !of->jvm.is_foreign ||
           (lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == of->user);
}

/* An exec may have put another JVM in the place of the first. */
static void take_note(union proc_noted_jvms *jvms, const struct noted *of, char kind,
                      const char *text)
{
    if (kind == ABI_RUN_LOADED) {
        struct proc_noted_jvm jvm = of->jvm;
        jvm.program = text;
        MB_VEC_PUSH(jvms, jvm);
        return;
    }
    if (MB_VEC_COUNT(jvms) == 0) {
        return;
    }
    struct proc_noted_jvm *last = &jvms->items[MB_VEC_COUNT(jvms) - 1];
    if (last->id != of->jvm.id) {
        return;
    }
    last->is_skipped = last->is_skipped || kind == ABI_RUN_SKIPPED;
    last->failure = kind == ABI_RUN_FAILED ? text : last->failure;
    if (kind == ABI_RUN_TRACE) {
        last->trace = is_trace_of(text, of) ? text : NULL;
        last->failure = last->trace == NULL ? "its trace is no file of its user" : last->failure;
    }
    last->ended = kind == ABI_RUN_ENDED ? text : last->ended;
}

/* Named as agents do. */
static enum mb_status read_file(struct proc_notes *notes, const char *path, const char *name,
                                struct mb_error *err)
{
    struct mb_buf bytes = {0};
    struct stat info;
    uint64_t id;

    if (!mb_text_to_number(mb_text_of(name), UINT32_MAX, &id)) {
        return MB_OK;
    }
    if (lstat(path, &info) != 0) { /* its user may have removed it */
        return errno == ENOENT ? MB_OK : mb_fail_file(err, path, "cannot read what JVMs told");
    }
    if (!S_ISREG(info.st_mode)) {
        return MB_OK;
    }
    const struct noted of = {
        .user = info.st_uid,
        .jvm = {.id = (uint32_t)id, .is_foreign = info.st_uid != geteuid()},
    };
    enum mb_status status = mb_file_read_named(&bytes, path, MOST_BYTES, NULL, err);
    if (status != MB_OK && of.jvm.is_foreign) {
        mb_buf_finish(&bytes);
        return MB_OK;
    }
    mb_buf_put(&bytes, "", bytes.size > 0 ? 1 : 0); /* the last text may have no end */
    status = status == MB_OK ? mb_buf_check(&bytes, err) : status;
    const char *at = status == MB_OK && bytes.size > 0
                         ? mb_arena_copy(&notes->arena, bytes.bytes, bytes.size)
                         : NULL;

    if (status == MB_OK && bytes.size > 0 && at == NULL) {
        status = mb_fail_memory(err);
    }
    for (const char *end = at != NULL ? at + bytes.size : at; at < end; at += strlen(at) + 1) {
        take_note(&notes->jvms, &of, at[0], at[0] != '\0' ? at + 1 : at);
    }
    mb_buf_finish(&bytes);
    return status;
}

static int compare_ids(const void *a, const void *b)
{
    const struct proc_noted_jvm *first = a;
    const struct proc_noted_jvm *second = b;

    return first->id < second->id ? -1 : first->id > second->id;
}

enum mb_status proc_notes_read(struct proc_notes *notes, struct mb_error *err)
{
    mb_buf_reset(&notes->jvms.buf);
    MB_TRY(visit_files(notes, read_file, err));
    MB_VEC_SORT(&notes->jvms, compare_ids);
    return mb_buf_check(&notes->jvms.buf, err);
}
