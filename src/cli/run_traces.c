#include "cli/run_traces.h"

#include "base/buf.h"

#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PROCESS_ID "%p"

/* The pattern as glob wants it: anything for a process id, the rest as it is. */
static void put_glob(struct mb_buf *out, const char *pattern)
{
    while (*pattern != '\0') {
        if (strncmp(pattern, PROCESS_ID, strlen(PROCESS_ID)) == 0) {
            mb_buf_put_string(out, "[0-9]*");
            pattern += strlen(PROCESS_ID);
            continue;
        }
        if (strchr("*?[\\", *pattern) != NULL) {
            mb_buf_put_u1(out, '\\');
        }
        mb_buf_put_u1(out, (uint8_t)*pattern++);
    }
    mb_buf_put_u1(out, '\0');
}

/* A file whose stat fails stays, so that opening it reports the error. */
static bool has_changed(const char *path, struct timespec since)
{
    struct stat info;

    if (stat(path, &info) != 0) {
        return errno != ENOENT;
    }
    return S_ISREG(info.st_mode) &&
           (info.st_ctim.tv_sec > since.tv_sec ||
            (info.st_ctim.tv_sec == since.tv_sec && info.st_ctim.tv_nsec >= since.tv_nsec));
}

static enum mb_status find_paths(const char *pattern, glob_t *paths, struct mb_error *err)
{
    struct mb_buf wanted = {0};
    int failure = 0;

    put_glob(&wanted, pattern);
    enum mb_status status = mb_buf_check(&wanted, err);
    if (status == MB_OK) {
        failure = glob((const char *)wanted.bytes, GLOB_ERR, NULL, paths);
    }
    mb_buf_finish(&wanted);
    if (failure == GLOB_NOSPACE) {
        return mb_fail_memory(err);
    }
    return failure == GLOB_ABORTED ? mb_fail_errno(err, "cannot list its folder") : status;
}

enum mb_status cli_run_traces(const char *pattern, struct timespec since, cli_trace_fn *found,
                              void *context, size_t *count, struct mb_error *err)
{
    glob_t paths = {0};
    enum mb_status status = find_paths(pattern, &paths, err);

    for (size_t i = 0; status == MB_OK && i < paths.gl_pathc; i++) {
        if (has_changed(paths.gl_pathv[i], since)) {
            found(context, paths.gl_pathv[i]);
            (*count)++;
        }
    }
    globfree(&paths);
    return status;
}
