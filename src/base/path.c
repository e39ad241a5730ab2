#include "base/path.h"

#include "base/buf.h"
#include "base/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_dots(struct mb_text name)
{
    return mb_text_is(name, ".") || mb_text_is(name, "..");
}

/* How much of path is its folder's name: without the last component, unless that is a folder's. */
static size_t folder_size(const char *path)
{
    size_t end = strlen(path);

    while (end > 1 && path[end - 1] == '/') {
        end--;
    }
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') {
        start--;
    }
    return is_dots((struct mb_text){path + start, end - start}) ? end : start;
}

/* The size bytes before the last component of these. */
static size_t size_above(const char *path, size_t size)
{
    while (size > 0 && path[size - 1] == '/') {
        size--;
    }
    while (size > 0 && path[size - 1] != '/') {
        size--;
    }
    return size;
}

/* The deepest existing folder within the first *size bytes; *size becomes the length of its name.
 * Caller frees; NULL with errno set. */
static char *find_real(const char *path, size_t *size)
{
    for (;;) {
        char *folder = *size > 0 ? strndup(path, *size) : strdup(".");
        char *real = folder != NULL ? realpath(folder, NULL) : NULL;
        int reason = errno;
        free(folder);
        errno = reason;
        bool is_missing = real == NULL && (errno == ENOENT || errno == ENOTDIR);
        if (!is_missing || *size == 0) {
            return real;
        }
        *size = size_above(path, *size);
    }
}

/* A folder that does not exist yet will not be a link, so ".." cannot lead out of it. */
static void put_component(struct mb_buf *resolved, struct mb_text name)
{
    if (mb_text_is(name, "..")) {
        while (resolved->size > 0 && resolved->bytes[--resolved->size] != '/') {
        }
    } else if (name.size > 0 && !mb_text_is(name, ".")) {
        mb_buf_put_u1(resolved, '/');
        mb_buf_put(resolved, name.data, name.size);
    }
}

enum mb_status mb_path_resolve(const char *path, struct mb_arena *arena, const char **resolved,
                               struct mb_error *err)
{
    size_t size = folder_size(path);
    char *real = find_real(path, &size);
    struct mb_text rest = mb_text_of(path + size);
    struct mb_buf buf = {0};

    if (real == NULL) {
        enum mb_status status = mb_fail_errno(err, size == 0 ? "cannot find the working folder"
                                                             : "cannot find its folder");
        mb_error_in_input(err, path);
        return status;
    }
    if (strcmp(real, "/") != 0) {
        mb_buf_put_string(&buf, real);
    }
    while (rest.size > 0) {
        put_component(&buf, mb_text_split(&rest, '/'));
    }
    if (buf.size == 0) {
        mb_buf_put_u1(&buf, '/');
    }
    *resolved = buf.failed ? NULL : mb_arena_copy(arena, buf.bytes, buf.size);
    mb_buf_finish(&buf);
    free(real);
    return *resolved != NULL ? MB_OK : mb_fail_memory(err);
}
