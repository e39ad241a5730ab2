#include "issues/collection.h"

#include "abi/issue.h"
#include "issues/scanner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_SIZE ((size_t)256 * 1024)
#define MOST_DEPTH 16u /* of folders; a spool has three */

/* One file at work. */
struct reading {
    struct issues_collection *all;
    const char *path;
    struct mb_text file;
    size_t found; /* issues, also of other kinds */
    size_t damaged;
    bool has_memory;
};

static void add_damage(struct reading *r, size_t line, const char *reason)
{
    issues_add_damage(r->all, r->path, line, reason);
    r->damaged++;
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

static void add_issue(struct reading *r, const json_t *object, size_t line)
{
    struct answer_issue issue;
    enum issues_verdict verdict = issues_issue_parse(&issue, r->all->texts, object);

    if (verdict == ISSUES_ISSUE) {
        issue.file = r->file;
        issue.line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
        MB_VEC_PUSH(&r->all->issues, issue);
    }
    r->all->other_count += verdict == ISSUES_OTHER;
    r->found += verdict != ISSUES_NO_ISSUE;
    r->has_memory = r->has_memory && verdict != ISSUES_NO_MEMORY;
}

static void hear_object(void *context, struct mb_text object, size_t line)
{
    struct reading *r = context;
    json_error_t error;
    json_t *json = json_loadb(object.data, object.size, JSON_ALLOW_NUL, &error);

    if (json != NULL) {
        add_issue(r, json, line);
        json_decref(json);
    } else if (looks_like_issue(object)) {
        add_damage(r, line, error.text);
    }
}

/* ---- Files ---- */

static enum mb_status scan_file(struct reading *r, int fd, struct issues_scanner *scanner,
                                char *piece, struct mb_error *err)
{
    const struct issues_hearer hearer = {hear_object, hear_cut, r};

    for (;;) {
        ssize_t got = read(fd, piece, READ_SIZE);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (got < 0) {
            add_damage(r, 0, strerror(errno));
        }
        issues_scan(scanner, (struct mb_text){piece, got > 0 ? (size_t)got : 0}, got <= 0, &hearer);
        if (scanner->waiting.failed || r->all->issues.buf.failed || !r->has_memory) {
            return mb_fail_memory(err);
        }
        if (got <= 0) {
            return MB_OK;
        }
    }
}

static enum mb_status read_issues(struct reading *r, int fd, struct mb_error *err)
{
    struct issues_scanner scanner = {0};
    char *piece = malloc(READ_SIZE);
    enum mb_status status =
        piece != NULL ? scan_file(r, fd, &scanner, piece, err) : mb_fail_memory(err);

    if (status == MB_OK && r->found + r->damaged == 0) {
        add_damage(r, 0, "no issue is in it");
    }
    issues_scanner_finish(&scanner);
    free(piece);
    return status;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* fd is borrowed. */
static enum mb_status read_open(struct issues_collection *all, const char *path, int fd,
                                struct mb_error *err)
{
    size_t size = strnlen(path, UINT16_MAX);
    uint32_t file = mb_intern_add(all->texts, (struct mb_text){path, size});
    struct reading r = {
        .all = all, .path = path, .file = mb_intern_get(all->texts, file), .has_memory = true};

    if (file == MB_INTERN_NONE) {
        return mb_fail_memory(err);
    }
    all->file_count++;
    return read_issues(&r, fd, err);
}

/* ---- Folders ---- */

static bool is_spooled(const char *name)
{
    struct mb_text text = mb_text_of(name);

    return mb_text_ends(text, MB_TEXT(ABI_FILE_END)) &&
           !mb_text_starts(text, MB_TEXT(".")); /* is not finished */
}

static int is_no_dot(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static enum mb_status read_folder(struct issues_collection *all, const char *path, unsigned depth,
                                  struct mb_error *err);

/* Links are not followed, and nothing is waited for: in a folder anything may lie. */
static enum mb_status read_entry(struct issues_collection *all, const char *path, unsigned depth,
                                 struct mb_error *err)
{
    struct stat info;

    if (lstat(path, &info) != 0) {
        if (errno != ENOENT) { /* a spool may be in use */
            issues_add_damage(all, path, 0, strerror(errno));
        }
        return MB_OK;
    }
    if (S_ISDIR(info.st_mode)) {
        return depth < MOST_DEPTH ? read_folder(all, path, depth + 1, err) : MB_OK;
    }
    if (!is_spooled(name_of(path))) {
        return MB_OK;
    }
    int fd =
        S_ISREG(info.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (fd < 0) {
        issues_add_damage(all, path, 0,
                          S_ISREG(info.st_mode) ? strerror(errno) : "no regular file");
        return MB_OK;
    }
    enum mb_status status = read_open(all, path, fd, err);
    (void)close(fd);
    return status;
}

static enum mb_status read_folder(struct issues_collection *all, const char *path, unsigned depth,
                                  struct mb_error *err)
{
    struct dirent **entries = NULL;
    struct mb_buf name = {0};
    enum mb_status status = MB_OK;
    int count = scandir(path, &entries, is_no_dot, alphasort);

    if (count < 0) {
        issues_add_damage(all, path, 0, strerror(errno));
    }
    for (int i = 0; i < count; i++) {
        mb_buf_reset(&name);
        mb_buf_put_string(&name, path);
        mb_buf_put_u1(&name, '/');
        mb_buf_put(&name, entries[i]->d_name, strlen(entries[i]->d_name) + 1);
        if (status == MB_OK) {
            status = mb_buf_check(&name, err);
        }
        if (status == MB_OK) {
            status = read_entry(all, (const char *)name.bytes, depth, err);
        }
        free(entries[i]);
    }
    free(entries);
    mb_buf_finish(&name);
    return status;
}

/* A folder's name without slashes behind it. */
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
    struct stat info;

    if (strcmp(path, "-") == 0) {
        return read_open(all, "standard input", STDIN_FILENO, err);
    }
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return read_named_folder(all, path, err);
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        all->missing_count++;
        issues_add_damage(all, path, 0, strerror(errno));
        return MB_OK;
    }
    enum mb_status status = read_open(all, path, fd, err);
    (void)close(fd);
    return status;
}
