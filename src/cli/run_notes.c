#include "cli/run_notes.h"

#include "abi/run.h"
#include "abi/weaving.h"
#include "base/file.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_LINES 8u

enum mb_status cli_run_notes_open(struct cli_run_notes *notes, struct mb_error *err)
{
    const char *place = getenv("TMPDIR");

    *notes = (struct cli_run_notes){0};
    (void)snprintf(notes->folder, sizeof(notes->folder), "%s/methodbeat-run-XXXXXX",
                   place != NULL && place[0] == '/' ? place : "/tmp");
    if (mkdtemp(notes->folder) == NULL) {
        enum mb_status status = mb_fail_errno(err, "cannot make a folder for what JVMs tell");
        mb_error_in_input(err, notes->folder);
        notes->folder[0] = '\0';
        return status;
    }
    return setenv(ABI_RUN_FOLDER, notes->folder, 1) == 0 ? MB_OK : mb_fail_memory(err);
}

typedef enum mb_status file_fn(struct cli_run_notes *notes, const char *path, const char *name,
                               struct mb_error *err);

static enum mb_status visit_files(struct cli_run_notes *notes, file_fn *visit, struct mb_error *err)
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
        status = mb_fail_errno(err, "cannot read what JVMs told");
        mb_error_in_input(err, notes->folder);
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return status;
}

static enum mb_status remove_file(struct cli_run_notes *notes, const char *path, const char *name,
                                  struct mb_error *err)
{
    (void)notes;
    (void)name;
    (void)err;
    (void)unlink(path);
    return MB_OK;
}

void cli_run_notes_close(struct cli_run_notes *notes)
{
    if (notes->folder[0] != '\0') {
        (void)!visit_files(notes, remove_file, NULL);
        (void)rmdir(notes->folder);
    }
    notes->folder[0] = '\0';
}

void cli_run_notes_finish(struct cli_run_notes *notes)
{
    cli_run_notes_close(notes);
    mb_arena_finish(&notes->arena);
    mb_buf_finish(&notes->jvms);
}

/* ---- Reading ---- */

/* An exec may have put another JVM in the place of the first. */
static void take_note(struct mb_buf *jvms, uint32_t id, char kind, const char *text)
{
    struct cli_run_jvm jvm = {.id = id, .program = text};

    if (kind == ABI_RUN_LOADED) {
        mb_buf_put(jvms, &jvm, sizeof(jvm));
        return;
    }
    if (jvms->size == 0) {
        return;
    }
    struct cli_run_jvm *last = (struct cli_run_jvm *)(void *)(jvms->bytes + jvms->size) - 1;
    if (last->id != id) {
        return;
    }
    last->is_skipped = last->is_skipped || kind == ABI_RUN_SKIPPED;
    last->failure = kind == ABI_RUN_FAILED ? text : last->failure;
    last->trace = kind == ABI_RUN_TRACE ? text : last->trace;
    last->ended = kind == ABI_RUN_ENDED ? text : last->ended;
}

/* Named as agents do. */
static enum mb_status read_file(struct cli_run_notes *notes, const char *path, const char *name,
                                struct mb_error *err)
{
    struct mb_buf bytes = {0};
    uint64_t id;

    if (!mb_text_to_number(mb_text_of(name), UINT32_MAX, &id)) {
        return MB_OK;
    }
    enum mb_status status = mb_file_read(&bytes, path, err);
    const char *at = status == MB_OK && bytes.size > 0
                         ? mb_arena_copy(&notes->arena, bytes.bytes, bytes.size)
                         : NULL;

    if (status == MB_OK && bytes.size > 0 && at == NULL) {
        status = mb_fail_memory(err);
    }
    for (const char *end = at != NULL ? at + bytes.size : at; at < end; at += strlen(at) + 1) {
        take_note(&notes->jvms, (uint32_t)id, at[0], at[0] != '\0' ? at + 1 : at);
    }
    mb_buf_finish(&bytes);
    return status;
}

static int compare_ids(const void *a, const void *b)
{
    const struct cli_run_jvm *first = a;
    const struct cli_run_jvm *second = b;

    return first->id < second->id ? -1 : first->id > second->id;
}

enum mb_status cli_run_notes_read(struct cli_run_notes *notes, struct mb_error *err)
{
    mb_buf_reset(&notes->jvms);
    MB_TRY(visit_files(notes, read_file, err));
    if (notes->jvms.size > 0) {
        qsort(notes->jvms.bytes, cli_run_notes_count(notes), sizeof(struct cli_run_jvm),
              compare_ids);
    }
    return mb_buf_check(&notes->jvms, err);
}

size_t cli_run_notes_count(const struct cli_run_notes *notes)
{
    return notes->jvms.size / sizeof(struct cli_run_jvm);
}

const struct cli_run_jvm *cli_run_notes_at(const struct cli_run_notes *notes, size_t index)
{
    return (const struct cli_run_jvm *)(const void *)notes->jvms.bytes + index;
}

/* ---- Why nothing was recorded ---- */

/* Of classes that got no probes. */
static const struct {
    enum abi_weaving what;
    const char *reason;
} losses[] = {
    {ABI_WEAVING_DAMAGED, "cannot be read"},
    {ABI_WEAVING_MEMORY, "found no memory"},
    {ABI_WEAVING_REFUSED, "cannot be changed, says the JVM"},
    {ABI_WEAVING_CROWDED, "came after many of their kind"},
    {ABI_WEAVING_IDS, "found no id"},
    {ABI_WEAVING_BOOT, "are of -Xbootclasspath/a"},
};

/* Of counts: the classes that were seen, then those of abi/weaving.h. */
static void put_classes(struct mb_buf *out, const char *text)
{
    uint64_t counts[1 + ABI_WEAVING_COUNT] = {0};
    char *next = NULL;

    for (size_t i = 0; i < MB_COUNT(counts) && *text != '\0'; i++, text = next) {
        counts[i] = strtoull(text, &next, 10);
    }
    if (counts[0] == 0) {
        mb_buf_put_string(out, "it loaded no class but the JDK's");
        return;
    }
    if (counts[1 + ABI_WEAVING_CLASSES] > 0) {
        mb_buf_printf(out, "%" PRIu64 " of its classes have probes, and none of these was called",
                      counts[1 + ABI_WEAVING_CLASSES]);
        return;
    }
    mb_buf_printf(out,
                  counts[0] == 1 ? "its only class has no probes"
                                 : "none of its %" PRIu64 " classes has probes",
                  counts[0]);
    for (size_t i = 0; i < MB_COUNT(losses); i++) {
        uint64_t count = counts[1 + losses[i].what];
        if (count > 0) {
            mb_buf_printf(out, ", %" PRIu64 " %s", count, losses[i].reason);
        }
    }
}

static void put_reason(struct mb_buf *out, const struct cli_run_jvm *jvm)
{
    if (jvm->is_skipped) {
        mb_buf_put_string(out, "--only leaves it out");
    } else if (jvm->failure != NULL) {
        mb_buf_put_printable(out, mb_text_of(jvm->failure));
    } else if (jvm->ended == NULL) {
        mb_buf_put_string(out, "no probe was called; it still runs, or was killed");
    } else if (jvm->program[0] == '\0') {
        mb_buf_put_string(out, "it ran no program");
    } else {
        put_classes(out, jvm->ended);
    }
}

static void put_line(struct mb_buf *out, const char *what, const struct cli_run_jvm *jvm)
{
    mb_buf_printf(out, "methodbeat run: %s: process %" PRIu32, what, jvm->id);
    if (jvm->program[0] != '\0') {
        mb_buf_put_string(out, " (");
        mb_buf_put_printable(out, mb_text_of(jvm->program));
        mb_buf_put_string(out, ")");
    }
    mb_buf_put_string(out, ": ");
    put_reason(out, jvm);
    mb_buf_put_string(out, "\n");
}

static bool has_trace(const struct cli_run_notes *notes)
{
    for (size_t i = 0; i < cli_run_notes_count(notes); i++) {
        if (cli_run_notes_at(notes, i)->trace != NULL) {
            return true;
        }
    }
    return false;
}

void cli_run_notes_explain(struct mb_buf *out, const struct cli_run_notes *notes, bool is_java)
{
    bool is_recorded = has_trace(notes);
    size_t count = 0;

    for (size_t i = 0; i < cli_run_notes_count(notes); i++) {
        const struct cli_run_jvm *jvm = cli_run_notes_at(notes, i);
        bool is_worth =
            jvm->trace == NULL && (!is_recorded || (jvm->program[0] != '\0' && !jvm->is_skipped));
        if (is_worth && count < MOST_LINES) {
            put_line(out, is_recorded ? "not recorded" : "nothing was recorded", jvm);
        }
        count += is_worth;
    }
    if (count > MOST_LINES) {
        mb_buf_printf(out, "methodbeat run: and %zu other processes\n", count - MOST_LINES);
    }
    if (cli_run_notes_count(notes) == 0) {
        mb_buf_put_string(out, is_java ? "methodbeat run: nothing was recorded: the JVM ended "
                                         "before it loaded the agent\n"
                                       : "methodbeat run: nothing was recorded: no JVM loaded the "
                                         "agent: the command started none, or one that does not "
                                         "see our JAVA_TOOL_OPTIONS (as behind env -i, sudo, ssh "
                                         "or in a container)\n");
    }
}
