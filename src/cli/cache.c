#include "cli/cache.h"

#include "base/text.h"
#include "base/vec.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_TRACES 20

struct trace {
    char name[64];
    struct timespec changed;
};

MB_VEC_TYPE(traces, struct trace);

/* A relative path is ignored (XDG Base Directory Specification). */
static bool find_folder(char path[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    bool has_cache = cache != NULL && cache[0] == '/';

    if (!has_cache && (home == NULL || home[0] != '/')) {
        return false;
    }
    int size = has_cache ? snprintf(path, PATH_MAX, "%s/methodbeat", cache)
                         : snprintf(path, PATH_MAX, "%s/.cache/methodbeat", home);
    return size < PATH_MAX && strchr(path, '%') == NULL && strchr(path, ',') == NULL;
}

static bool put_name(char path[PATH_MAX], const char *folder, const char *name)
{
    return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

bool cli_cache_name(char path[PATH_MAX], const char *name)
{
    char folder[PATH_MAX];
    struct stat info;

    if (!find_folder(folder)) {
        return false;
    }
    char *slash = strrchr(folder, '/');
    *slash = '\0';
    (void)mkdir(folder, 0700);
    *slash = '/';
    (void)mkdir(folder, 0700);
    return stat(folder, &info) == 0 && S_ISDIR(info.st_mode) && put_name(path, folder, name);
}

static int by_age(const void *a, const void *b)
{
    const struct timespec *x = &((const struct trace *)a)->changed;
    const struct timespec *y = &((const struct trace *)b)->changed;

    return x->tv_sec != y->tv_sec ? (x->tv_sec < y->tv_sec) - (x->tv_sec > y->tv_sec)
                                  : (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);
}

/* The newest first. */
static void list_traces(union traces *traces, const char *folder)
{
    DIR *list = opendir(folder);
    const struct dirent *entry;

    while (list != NULL && (entry = readdir(list)) != NULL) {
        struct trace trace;
        struct stat info;
        char path[PATH_MAX];
        int size = snprintf(trace.name, sizeof(trace.name), "%s", entry->d_name);
        if (size < (int)sizeof(trace.name) &&
            mb_text_ends(mb_text_of(trace.name), MB_TEXT(".mbtrace")) &&
            put_name(path, folder, trace.name) && lstat(path, &info) == 0 &&
            S_ISREG(info.st_mode)) {
            trace.changed = info.st_mtim;
            MB_VEC_PUSH(traces, trace);
        }
    }
    if (list != NULL) {
        (void)closedir(list);
    }
    if (MB_VEC_COUNT(traces) > 0) {
        MB_VEC_SORT(traces, by_age);
    }
}

bool cli_cache_last(char path[PATH_MAX])
{
    char folder[PATH_MAX];
    union traces traces = {0};

    if (!find_folder(folder)) {
        return false;
    }
    list_traces(&traces, folder);
    bool has = MB_VEC_COUNT(&traces) > 0 && put_name(path, folder, traces.items[0].name);
    mb_buf_finish(&traces.buf);
    return has;
}

void cli_cache_tidy(void)
{
    char folder[PATH_MAX];
    char path[PATH_MAX];
    union traces traces = {0};

    if (!find_folder(folder)) {
        return;
    }
    list_traces(&traces, folder);
    for (size_t i = MOST_TRACES; i < MB_VEC_COUNT(&traces); i++) {
        if (put_name(path, folder, traces.items[i].name)) {
            (void)remove(path);
        }
    }
    mb_buf_finish(&traces.buf);
}
