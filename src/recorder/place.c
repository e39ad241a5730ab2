#include "recorder/place.h"

#include "base/text.h"
#include "recorder/name.h"
#include "recorder/output.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".mbtrace"
#define NUMBER_SIZE 12u
#define MOST_REMOVED 16u /* by one start, which is not to take long */
#define UNFINISHED_SECONDS 60

/* ---- Names ---- */

bool beat_place_is_folder(const char *pattern)
{
    size_t size = strlen(pattern);

    return size > 0 && pattern[size - 1] == '/';
}

/* False if it gets too long. */
static bool name_by_process(char path[BEAT_PATH_SIZE], const char *folder, const char *process)
{
    char name[ABI_TRACE_NAME_SIZE];

    beat_name_as_file(name, sizeof(name), mb_last_part(process));
    int size = snprintf(path, BEAT_PATH_SIZE, "%s%s-%ld" SUFFIX, folder, name, (long)getpid());
    return size >= 0 && (size_t)size < BEAT_PATH_SIZE;
}

static bool expand_pattern(char path[BEAT_PATH_SIZE], const char *pattern)
{
    size_t size = 0;

    for (const char *next = pattern; *next != '\0' && size < BEAT_PATH_SIZE - NUMBER_SIZE; next++) {
        if (next[0] == '%' && next[1] == 'p') {
            size += (size_t)snprintf(path + size, NUMBER_SIZE, "%ld", (long)getpid());
            next++;
        } else {
            path[size++] = *next;
            next += next[0] == '%' && next[1] == '%';
        }
    }
    path[size] = '\0';
    return size < BEAT_PATH_SIZE - NUMBER_SIZE;
}

bool beat_place_find(char path[BEAT_PATH_SIZE], const char *pattern, const char *process)
{
    if (strcmp(pattern, BEAT_AUTO_FILE) == 0) {
        return name_by_process(path, "", process);
    }
    if (!beat_place_is_folder(pattern)) {
        return expand_pattern(path, pattern);
    }
    (void)mkdir(pattern, 0700); /* if not, creating the trace tells */
    return name_by_process(path, pattern, process);
}

/* ---- Old traces ---- */

/* NAME-PID.mbtrace, and its name before it was whole. */
struct sibling {
    char name[BEAT_PATH_SIZE];
    struct timespec changed;
};

/* Is it "<the same name>-<digits>.mbtrace"? own is the new trace's name. */
static bool is_sibling(const char *name, const char *own, bool *is_whole)
{
    size_t prefix = (size_t)(strrchr(own, '-') - own) + 1;

    if (strncmp(name, own, prefix) != 0) {
        return false;
    }
    size_t digits = strspn(name + prefix, "0123456789");
    const char *rest = name + prefix + digits;
    if (digits == 0 || strncmp(rest, SUFFIX, sizeof(SUFFIX) - 1) != 0) {
        return false;
    }
    *is_whole = rest[sizeof(SUFFIX) - 1] == '\0';
    return *is_whole || strlen(rest) == sizeof(SUFFIX) - 1 + BEAT_TEMPORARY_SIZE;
}

/* A trace whose recording is over, or an unfinished one that is not written any more. */
static bool may_go(int folder, const char *name, bool is_whole, struct timespec *changed)
{
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0) {
        return false;
    }
    bool goes = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && beat_output_is_trace(fd) &&
                beat_output_writer(fd) == 0 &&
                (is_whole || time(NULL) - info.st_mtime > UNFINISHED_SECONDS);
    *changed = info.st_mtim;
    (void)close(fd);
    return goes;
}

static bool is_older(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Find the oldest removable trace; unfinished ones count as oldest. Returns the number of
 * removable traces. */
static uint32_t find_oldest(DIR *list, const char *own, struct sibling *oldest)
{
    uint32_t count = 0;
    bool is_whole;

    rewinddir(list);
    for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        struct timespec changed;
        if (!is_sibling(entry->d_name, own, &is_whole) ||
            (is_whole && strcmp(entry->d_name, own) == 0) ||
            !may_go(dirfd(list), entry->d_name, is_whole, &changed)) {
            continue;
        }
        if (!is_whole) {
            (void)unlinkat(dirfd(list), entry->d_name, 0);
            continue;
        }
        if (count++ == 0 || is_older(&changed, &oldest->changed)) {
            (void)snprintf(oldest->name, sizeof(oldest->name), "%s", entry->d_name);
            oldest->changed = changed;
        }
    }
    return count;
}

void beat_place_tidy(const char *path)
{
    char folder[BEAT_PATH_SIZE];
    const char *own = strrchr(path, '/') + 1;
    struct sibling oldest;

    (void)snprintf(folder, sizeof(folder), "%.*s", (int)(own - path), path);
    DIR *list = opendir(folder);
    if (list == NULL) {
        return;
    }
    for (uint32_t i = 0; i < MOST_REMOVED; i++) {
        if (find_oldest(list, own, &oldest) < BEAT_FOLDER_FILES ||
            unlinkat(dirfd(list), oldest.name, 0) != 0) {
            break;
        }
    }
    (void)closedir(list);
}
