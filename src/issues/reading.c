#include "issues/collection.h"

#include "abi/issue.h"
#include "base/interrupt.h"
#include "base/platform_folder.h"
#include "base/text.h"
#include "issues/scanner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE ((size_t)256 * 1024)
#define MOST_DEPTH 16u                   /* of folders; a spool has three */
#define MOST_FOUND (UINT64_C(256) << 20) /* bytes of a file in a folder, unpacked */

/* One file at work. */
struct reading {
    struct issues_collection *all;
    const char *path;
    struct mb_text file;
    int fd;
    void *packed;  /* NULL: it is read as it is */
    uint64_t left; /* bytes that may come */
    size_t found;  /* issues, also of other kinds */
    size_t damaged;
    struct issues_scanner scanner;
    bool has_memory;
};

static void add_damage(struct reading *r, size_t line, const char *reason)
{
    issues_add_damage(r->all, r->path, line, reason);
    r->damaged++;
}

static void add_damage_within(struct reading *r, size_t line, const char *wrong, size_t offset)
{
    char reason[96];

    (void)snprintf(reason, sizeof(reason), "%s: byte %zu of an issue", wrong, offset);
    add_damage(r, line, reason);
}

/* An object of some other program's log is no damage. */
static bool looks_like_issue(struct mb_text object)
{
    return mb_text_contains(object, MB_TEXT("\"" ABI_TAG_TRACE)) ||
           mb_text_contains(object, MB_TEXT("\"" ABI_ISSUE_OWN "\"")) ||
           mb_text_contains(object, MB_TEXT("\"" ABI_ISSUE_STACK_KEY "\"")) ||
           mb_text_contains(object, MB_TEXT("\"" ABI_ISSUE_THREAD_STACK "\""));
}

static void hear_cut(void *context, struct mb_text start, size_t line)
{
    struct reading *r = context;

    if (looks_like_issue(start) || (line == 1 && r->found == 0)) {
        add_damage(r, line, "an issue that is cut off");
    }
}

static void add_issue(struct reading *r, const struct mb_value *object, size_t line)
{
    struct answer_issue issue;
    enum issues_verdict verdict = r->all->take != NULL
                                      ? r->all->take(r->all->context, object)
                                      : issues_issue_parse(&issue, r->all->texts, object);

    if (verdict == ISSUES_ISSUE && r->all->take == NULL) {
        issue.file = r->file;
        issue.line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
        MB_VEC_PUSH(&r->all->issues, issue);
    }
    r->all->other_count += verdict == ISSUES_OTHER;
    r->found += verdict != ISSUES_NO_ISSUE;
    r->has_memory = r->has_memory && verdict != ISSUES_NO_MEMORY;
}

static void hear_object(void *context, struct mb_text object, const struct mb_value *value,
                        size_t line)
{
    struct reading *r = context;
    const struct mb_reader *reader = &r->scanner.reader;

    if (value != NULL) {
        add_issue(r, value, line);
    } else if (!mb_reader_failed(reader) && looks_like_issue(object)) {
        add_damage_within(r, line, reader->wrong, reader->offset);
    }
}

/* ---- Files ---- */

/* The next piece; what cannot be read is damage, and the end. */
static size_t read_piece(struct reading *r, char *piece)
{
    const char *reason = NULL;
    ptrdiff_t got;

    do {
        got = r->packed != NULL ? r->all->unpacker->read(r->packed, piece, READ_SIZE, &reason)
                                : mb_file_get(r->fd, piece, READ_SIZE);
    } while (got < 0 && reason == NULL && (errno == EINTR || errno == EAGAIN));
    if (got > 0 && (uint64_t)got > r->left) {
        reason = "the rest of more than 256 MB";
        got = -1;
    }
    r->left -= got > 0 ? (uint64_t)got : 0;
    if (got < 0) {
        add_damage(r, 0, reason != NULL ? reason : strerror(errno));
    }
    return got > 0 ? (size_t)got : 0;
}

static enum mb_status scan_file(struct reading *r, char *piece, struct mb_error *err)
{
    const struct issues_hearer hearer = {hear_object, hear_cut, r};

    for (;;) {
        size_t got = read_piece(r, piece);
        issues_scan(&r->scanner, (struct mb_text){piece, got}, got == 0, &hearer);
        MB_TRY(mb_check_interrupt(err));
        if (r->scanner.waiting.failed || r->all->issues.buf.failed || !r->has_memory) {
            return mb_fail_memory(err);
        }
        if (got == 0) {
            return MB_OK;
        }
    }
}

static enum mb_status read_issues(struct reading *r, struct mb_error *err)
{
    char *piece = malloc(READ_SIZE);
    enum mb_status status = piece != NULL ? scan_file(r, piece, err) : mb_fail_memory(err);

    if (status == MB_OK && r->found + r->damaged == 0) {
        add_damage(r, 0, "no issue is in it");
    }
    issues_scanner_finish(&r->scanner);
    free(piece);
    return status;
}

/* fd is borrowed. */
static enum mb_status read_open(struct issues_collection *all, const char *path, int fd,
                                uint64_t most, struct mb_error *err)
{
    size_t size = strnlen(path, UINT16_MAX);
    uint32_t file = mb_intern_add(all->texts, (struct mb_text){path, size});
    bool is_packed = all->unpacker != NULL && all->unpacker->takes(path);
    struct reading r = {.all = all,
                        .path = path,
                        .file = mb_intern_get(all->texts, file),
                        .fd = fd,
                        .left = most,
                        .packed = is_packed ? all->unpacker->open(path, fd) : NULL,
                        .has_memory = true};

    if (file == MB_INTERN_NONE || (is_packed && r.packed == NULL)) {
        return mb_fail_memory(err);
    }
    all->file_count++;
    enum mb_status status = read_issues(&r, err);
    if (is_packed) {
        all->unpacker->close(r.packed);
    }
    return status;
}

/* ---- Folders ---- */

static bool is_spooled(const struct issues_collection *all, const char *name)
{
    struct mb_text text = mb_text_of(name);
    bool is_packed = all->unpacker != NULL && all->unpacker->takes(name);

    return (is_packed || mb_text_ends(text, MB_TEXT(ABI_FILE_END))) && name[0] != '.' &&
           (all->take != NULL || !mb_text_starts(text, MB_TEXT(ABI_FILE_SESSION)));
}

static enum mb_status read_folder(struct issues_collection *all, const char *path, unsigned depth,
                                  struct mb_error *err);

/* Links are not followed, and nothing is waited for: in a folder anything may lie. */
static enum mb_status read_entry(struct issues_collection *all, const char *path, unsigned depth,
                                 struct mb_error *err)
{
    struct mb_file_info info;

    if (!mb_file_look_at_link(NULL, path, &info)) {
        if (errno != ENOENT) { /* a spool may be in use */
            issues_add_damage(all, path, 0, strerror(errno));
        }
        return MB_OK;
    }
    if (info.type == MB_FILE_FOLDER) {
        return depth < MOST_DEPTH ? read_folder(all, path, depth + 1, err) : MB_OK;
    }
    if (!is_spooled(all, mb_last_part(path))) {
        return MB_OK;
    }
    bool is_regular = info.type == MB_FILE_REGULAR;
    int fd = is_regular ? mb_file_open(NULL, path, MB_FILE_READ_NAME) : -1;
    if (fd < 0) {
        issues_add_damage(all, path, 0, is_regular ? strerror(errno) : "no regular file");
        return MB_OK;
    }
    enum mb_status status = read_open(all, path, fd, MOST_FOUND, err);
    (void)close(fd);
    return status;
}

static enum mb_status read_folder(struct issues_collection *all, const char *path, unsigned depth,
                                  struct mb_error *err)
{
    struct mb_names names;
    struct mb_buf name = {0};
    enum mb_status status = MB_OK;

    if (!mb_names_list(&names, path, NULL)) {
        issues_add_damage(all, path, 0, strerror(errno));
    }
    for (size_t i = 0; i < names.count && status == MB_OK; i++) {
        mb_buf_reset(&name);
        mb_buf_put_string(&name, path);
        mb_buf_put_u1(&name, '/');
        mb_buf_put(&name, names.items[i], strlen(names.items[i]) + 1);
        status = mb_buf_check(&name, err);
        if (status == MB_OK) {
            status = read_entry(all, (const char *)name.bytes, depth, err);
        }
    }
    mb_names_finish(&names);
    mb_buf_finish(&name);
    return status;
}

/* A folder, whose name may end in slashes. */
static enum mb_status read_named_folder(struct issues_collection *all, const char *path,
                                        struct mb_error *err)
{
    size_t size = strlen(path);
    char *name = strdup(path);

    if (name == NULL) {
        return mb_fail_memory(err);
    }
    while (size > 1 && name[size - 1] == '/') {
        name[--size] = '\0';
    }
    enum mb_status status = read_folder(all, name, 0, err);
    free(name);
    return status;
}

enum mb_status issues_read(struct issues_collection *all, const char *path, struct mb_error *err)
{
    enum mb_status status = MB_OK;
    struct mb_file_info info;

    if (strcmp(path, "-") == 0) {
        return read_open(all, "standard input", STDIN_FILENO, UINT64_MAX, err);
    }
    int fd = mb_file_open(NULL, path, MB_FILE_READ_WAIT);
    bool is_seen = fd >= 0 ? mb_file_look_open(fd, &info) : errno == EISDIR; /* not all open them */
    if (!is_seen) {
        all->missing_count++;
        issues_add_damage(all, path, 0, strerror(errno));
    } else {
        status = fd < 0 || info.type == MB_FILE_FOLDER ? read_named_folder(all, path, err)
                                                       : read_open(all, path, fd, UINT64_MAX, err);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return status;
}
