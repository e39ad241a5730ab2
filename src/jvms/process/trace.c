#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_PATH, F_OFD_SETLK */
#endif

#include "jvms/process/trace.h"

#include "base/file.h"
#include "jvms/process/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_SIZE sizeof(struct abi_trace_header)
#define PATH_SIZE 4096

/* A plain file of this user: no other is opened. -1: it is another. */
static int open_own_file(const char *path, uid_t owner)
{
    struct stat info;
    char opened[64];
    int place = open(path, O_PATH | O_CLOEXEC);
    bool is_own = place >= 0 && fstat(place, &info) == 0 && S_ISREG(info.st_mode) &&
                  info.st_uid == owner && info.st_size >= ABI_TRACE_PAGE;

    (void)snprintf(opened, sizeof(opened), "/proc/self/fd/%d", place);
    int fd = is_own ? open(opened, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (place >= 0) {
        (void)close(place);
    }
    return fd;
}

static bool is_trace_of(const struct abi_trace_header *header, uint64_t process_id)
{
    return memcmp(header->magic, ABI_TRACE_MAGIC, sizeof(header->magic)) == 0 &&
           header->byte_order == ABI_TRACE_BYTE_ORDER && header->process_id == process_id;
}

/* The target of a descriptor of the process. */
static bool look_at(struct proc_trace *trace, const char *link, uid_t owner, uint64_t process_id)
{
    char path[PATH_SIZE];
    ssize_t size = readlink(link, path, sizeof(path) - 1);

    trace->fd = open_own_file(link, owner);
    if (trace->fd >= 0 && proc_trace_renew(trace) && is_trace_of(&trace->header, process_id)) {
        path[size > 0 ? size : 0] = '\0';
        abi_control_trim(path);
        trace->path = strdup(path);
    }
    if (trace->path == NULL) {
        proc_trace_finish(trace);
    }
    return trace->path != NULL;
}

static bool look_at_all(struct proc_trace *trace, DIR *folder, uint64_t process_id, uid_t owner)
{
    bool is_found = false;
    uint64_t inner = (uint64_t)proc_own_id((pid_t)process_id);
    const struct dirent *entry;
    char link[300];

    while (!is_found && (entry = readdir(folder)) != NULL) {
        (void)snprintf(link, sizeof(link), "/proc/%" PRIu64 "/fd/%s", process_id, entry->d_name);
        is_found = look_at(trace, link, owner, inner);
    }
    return is_found;
}

enum proc_trace_found proc_trace_find(struct proc_trace *trace, uint64_t process_id)
{
    char path[64];
    uid_t owner;
    gid_t group;

    *trace = (struct proc_trace){.fd = -1};
    if (process_id > INT_MAX || !proc_user((pid_t)process_id, &owner, &group)) {
        return PROC_TRACE_NO_PROCESS;
    }
    if (geteuid() != 0 && owner != geteuid()) {
        return PROC_TRACE_NOT_OURS;
    }
    (void)snprintf(path, sizeof(path), "/proc/%" PRIu64 "/fd", process_id);
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return errno == EACCES || errno == EPERM ? PROC_TRACE_NOT_OURS : PROC_TRACE_NO_PROCESS;
    }
    bool is_found = look_at_all(trace, folder, process_id, owner);
    (void)closedir(folder);
    if (is_found) {
        proc_own_path((pid_t)process_id, trace->path);
    }
    return is_found ? PROC_TRACE_FOUND : PROC_TRACE_NO_TRACE;
}

bool proc_trace_renew(struct proc_trace *trace)
{
    struct abi_trace_header header;
    bool is_read = pread(trace->fd, &header, HEADER_SIZE, 0) == (ssize_t)HEADER_SIZE;

    if (is_read) {
        trace->header = header;
    }
    return is_read;
}

/* Closing the file gives it up. Only requests are locked: the recorder has the whole file. */
static bool lock_request(int fd)
{
    struct flock lock = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = offsetof(struct abi_trace_header, request),
                         .l_len = sizeof(uint64_t)};

    return fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

bool proc_trace_ask(struct proc_trace *trace, enum abi_control_command command, uint64_t *number)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", trace->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    bool is_asked = lock_request(fd) && proc_trace_renew(trace) &&
                    abi_control_ask(&trace->header, command, number);
    if (is_asked) {
        const uint64_t word = atomic_load_explicit(&trace->header.request, memory_order_relaxed);
        is_asked =
            mb_file_put_at(fd, &word, sizeof(word), offsetof(struct abi_trace_header, request));
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return is_asked;
}

bool proc_trace_is_open(const struct proc_trace *trace)
{
    return trace->fd >= 0 &&
           atomic_load_explicit(&trace->header.state, memory_order_relaxed) == ABI_TRACE_OPEN;
}

void proc_trace_finish(struct proc_trace *trace)
{
    if (trace->fd >= 0) {
        (void)close(trace->fd);
    }
    free(trace->path);
    *trace = (struct proc_trace){.fd = -1};
}

/* ---- Below a process ---- */

#define MOST_BELOW 1024u /* processes that are looked at */

struct below {
    uint64_t ids[MOST_BELOW]; /* the process itself first, then its descendants */
    size_t count;
};

static void put_children(struct below *below, const char *path)
{
    FILE *file = fopen(path, "re");
    uint64_t id;

    while (file != NULL && below->count < MOST_BELOW && fscanf(file, "%" SCNu64, &id) == 1) {
        below->ids[below->count++] = id;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

/* Any of its threads may have started them. */
static void put_children_of(struct below *below, uint64_t process_id)
{
    char pattern[64];
    glob_t paths = {0};

    (void)snprintf(pattern, sizeof(pattern), "/proc/%" PRIu64 "/task/*/children", process_id);
    (void)glob(pattern, 0, NULL, &paths);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        put_children(below, paths.gl_pathv[i]);
    }
    globfree(&paths);
}

enum proc_trace_found proc_trace_find_below(uint64_t *process_id)
{
    struct below below = {.ids = {*process_id}, .count = 1};
    enum proc_trace_found found = PROC_TRACE_NO_TRACE;

    for (size_t i = 0; i < below.count; i++) {
        struct proc_trace trace;
        enum proc_trace_found here = proc_trace_find(&trace, below.ids[i]);
        proc_trace_finish(&trace);
        if (i == 0 && here != PROC_TRACE_NO_TRACE) {
            return here;
        }
        if (here == PROC_TRACE_FOUND && found == PROC_TRACE_FOUND) {
            return PROC_TRACE_SEVERAL;
        }
        if (here == PROC_TRACE_FOUND) {
            found = here;
            *process_id = below.ids[i];
        }
        put_children_of(&below, below.ids[i]);
    }
    return found;
}

void proc_each_below(uint64_t process_id, proc_each_fn *each, void *context)
{
    struct below below = {.ids = {process_id}, .count = 1};

    for (size_t i = 0; i < below.count; i++) {
        put_children_of(&below, below.ids[i]);
        each(context, below.ids[i]);
    }
}
