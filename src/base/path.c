#include "base/file.h"

#include "base/buf.h"
#include "base/platform.h"
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
        char *folder = strdup(*size > 0 ? path : ".");
        if (folder != NULL && *size > 0) {
            folder[*size] = '\0';
        }
        char *real = folder != NULL ? mb_path_real(folder) : NULL;
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
static void put_component(struct mb_buf *resolved, size_t root_size, struct mb_text name)
{
    if (mb_text_is(name, "..")) {
        size_t above = size_above((const char *)resolved->bytes, resolved->size);
        resolved->size = above > root_size ? above - 1 : root_size;
    } else if (name.size > 0 && !mb_text_is(name, ".")) {
        if (resolved->size > root_size) {
            mb_buf_put_u1(resolved, '/');
        }
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
        return mb_fail_file(
            err, path, size == 0 ? "cannot find the working folder" : "cannot find its folder");
    }
    mb_buf_put_string(&buf, real);
    while (rest.size > 0) {
        put_component(&buf, mb_path_root_size(real), mb_text_split(&rest, '/'));
    }
    *resolved = buf.failed ? NULL : mb_arena_copy(arena, buf.bytes, buf.size);
    mb_buf_finish(&buf);
    free(real);
    return *resolved != NULL ? MB_OK : mb_fail_memory(err);
}
