#include "base/publish.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/janitor.h"
#include "base/strmap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGING_PREFIX ".methodbeat-"

/* A staging folder serves all outputs of its file system. The lock on it, which ends with the
 * process, tells others that it is in use. */
struct staging {
    struct staging *next;
    dev_t device;
    int lock;
    char path[]; /* absolute: the janitor has no working directory of ours */
};

struct item {
    const char *path;
    const char *staged; /* NULL: path is to be removed */
};

struct mb_publish {
    pthread_mutex_t mutex; /* guards all below */
    struct mb_arena arena;
    struct mb_buf items;      /* struct item */
    struct mb_buf made;       /* const char *: folders that commit made */
    struct mb_strmap folders; /* parent of an output -> its staging */
    struct staging *stagings;
    struct mb_janitor janitor;
    unsigned next_number;
    bool is_committed;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

void mb_interrupt_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = interrupt};

    for (size_t i = 0; i < MB_COUNT(signals); i++) {
        (void)sigaction(signals[i], &action, NULL);
    }
}

bool mb_is_interrupted(void)
{
    return interrupted != 0;
}

struct mb_publish *mb_publish_create(void)
{
    struct mb_publish *publish = calloc(1, sizeof(*publish));

    if (publish != NULL) {
        (void)pthread_mutex_init(&publish->mutex, NULL);
        mb_janitor_start(&publish->janitor);
    }
    return publish;
}

static void remove_made_folders(struct mb_publish *publish)
{
    while (publish->made.size > 0) {
        const char *folder;
        publish->made.size -= sizeof(folder);
        memcpy(&folder, publish->made.bytes + publish->made.size, sizeof(folder));
        (void)rmdir(folder);
    }
}

static void remove_stagings(struct mb_publish *publish)
{
    while (publish->stagings != NULL) {
        struct staging *staging = publish->stagings;
        publish->stagings = staging->next;
        mb_remove_flat_folder(staging->path);
        (void)close(staging->lock);
        free(staging);
    }
}

void mb_publish_destroy(struct mb_publish *publish)
{
    if (publish == NULL) {
        return;
    }
    remove_stagings(publish);
    if (!publish->is_committed) {
        remove_made_folders(publish);
    }
    mb_janitor_await(&publish->janitor);
    mb_strmap_finish(&publish->folders);
    mb_buf_finish(&publish->items);
    mb_buf_finish(&publish->made);
    mb_arena_finish(&publish->arena);
    (void)pthread_mutex_destroy(&publish->mutex);
    free(publish);
}

/* --- staging folders --- */

/* Those of runs that were killed: nobody holds their lock. */
static void remove_stale(const char *folder)
{
    DIR *stream = opendir(folder);
    const struct dirent *child;
    char path[4096];

    while (stream != NULL && (child = readdir(stream)) != NULL) {
        if (strncmp(child->d_name, STAGING_PREFIX, strlen(STAGING_PREFIX)) != 0 ||
            snprintf(path, sizeof(path), "%s/%s", folder, child->d_name) >= (int)sizeof(path)) {
            continue;
        }
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            mb_remove_flat_folder(path);
        }
        if (fd >= 0) {
            (void)close(fd);
        }
    }
    if (stream != NULL) {
        (void)closedir(stream);
    }
}

/* Make a folder of this pattern and lock it. Another run may take it for a leftover before it is
 * locked, and remove it: then it has no links left. */
static int make_locked_folder(char *path, size_t pattern_size)
{
    struct stat info;

    for (int attempt = 0; attempt < 10; attempt++) {
        memset(path + pattern_size, 'X', 6);
        if (mkdtemp(path) == NULL) {
            return -1;
        }
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &info) == 0 &&
            info.st_nlink > 0) {
            return fd;
        }
        if (fd >= 0) {
            (void)close(fd);
        }
    }
    return -1;
}

static struct staging *add_staging(struct mb_publish *publish, const char *folder, dev_t device)
{
    size_t size = strlen(folder) + 1 + strlen(STAGING_PREFIX);
    struct staging *staging = malloc(sizeof(*staging) + size + 7);

    if (staging == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    *staging = (struct staging){.next = publish->stagings, .device = device};
    (void)snprintf(staging->path, size + 7, "%s/" STAGING_PREFIX "XXXXXX", folder);
    staging->lock = make_locked_folder(staging->path, size);
    if (staging->lock < 0) {
        free(staging);
        return NULL;
    }
    mb_janitor_watch(&publish->janitor, staging->path);
    publish->stagings = staging;
    return staging;
}

/* The deepest folder on the way to path that exists, absolute; path is changed. */
static char *find_existing(char *path, struct stat *info)
{
    for (;;) {
        if (stat(path[0] != '\0' ? path : ".", info) == 0) {
            return realpath(path[0] != '\0' ? path : ".", NULL);
        }
        char *slash = strrchr(path, '/');
        if (slash == path) {
            slash++;
        }
        if (errno != ENOENT || slash == NULL) {
            if (errno == ENOENT && path[0] != '\0') {
                path[0] = '\0';
                continue;
            }
            return NULL;
        }
        *slash = '\0';
    }
}

static struct staging *stage_beside(struct mb_publish *publish, char *parent)
{
    struct stat info;
    char *folder = find_existing(parent, &info);
    struct staging *staging = folder != NULL ? publish->stagings : NULL;

    if (folder == NULL) {
        return NULL;
    }
    if (!S_ISDIR(info.st_mode)) {
        free(folder);
        errno = ENOTDIR;
        return NULL;
    }
    while (staging != NULL && staging->device != info.st_dev) {
        staging = staging->next;
    }
    if (staging == NULL) {
        remove_stale(folder);
        staging = add_staging(publish, folder, info.st_dev);
    }
    free(folder);
    return staging;
}

/* Called with the mutex held. NULL with errno set. */
static struct staging *find_staging(struct mb_publish *publish, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t parent_size = slash != NULL ? (size_t)(slash - path) + (slash == path) : 0;
    void **slot = mb_strmap_slot(&publish->folders, path, parent_size);

    if (slot == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    if (*slot == NULL) {
        char *parent = mb_arena_copy(&publish->arena, path, parent_size);
        *slot = parent != NULL ? stage_beside(publish, parent) : NULL;
    }
    return *slot;
}

/* --- outputs --- */

static enum mb_status add_item(struct mb_publish *publish, const char *path, const char *staged,
                               struct mb_error *err)
{
    struct item item = {mb_arena_copy(&publish->arena, path, strlen(path)), staged};

    mb_buf_put(&publish->items, &item, sizeof(item));
    return item.path != NULL ? mb_buf_check(&publish->items, err) : mb_fail_memory(err);
}

/* Reserve the name of a staged file; the caller holds the mutex. */
static enum mb_status add_staged(struct mb_publish *publish, const char *path, const char **staged,
                                 struct mb_error *err)
{
    struct staging *staging = find_staging(publish, path);

    if (staging == NULL) {
        return mb_fail_errno(err, "cannot write here");
    }
    size_t size = strlen(staging->path) + 16;
    char *name = mb_arena_alloc(&publish->arena, size);
    if (name == NULL) {
        return mb_fail_memory(err);
    }
    (void)snprintf(name, size, "%s/%u", staging->path, publish->next_number++);
    *staged = name;
    return add_item(publish, path, name, err);
}

/* What is replaced keeps its permissions. */
static void keep_mode(const char *path, int fd)
{
    struct stat old;

    if (stat(path, &old) == 0) {
        (void)fchmod(fd, old.st_mode & 07777);
    }
}

static enum mb_status open_staged(struct mb_publish *publish, const char *path, int *fd,
                                  struct mb_error *err)
{
    const char *staged = NULL;

    MB_TRY(mb_file_check_output(path, err));
    (void)pthread_mutex_lock(&publish->mutex);
    enum mb_status status = add_staged(publish, path, &staged, err);
    (void)pthread_mutex_unlock(&publish->mutex);
    MB_TRY(status);
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): there, after MB_OK */
    *fd = open(staged, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (*fd < 0) {
        return mb_fail_errno(err, "cannot create");
    }
    keep_mode(path, *fd);
    return MB_OK;
}

enum mb_status mb_publish_open(struct mb_publish *publish, const char *path, int *fd,
                               struct mb_error *err)
{
    enum mb_status status = open_staged(publish, path, fd, err);

    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

enum mb_status mb_publish_write(struct mb_publish *publish, const char *path, const void *bytes,
                                size_t size, struct mb_error *err)
{
    int fd = -1;

    MB_TRY(mb_publish_open(publish, path, &fd, err));
    enum mb_status status = mb_file_write_all(fd, bytes, size, err);
    if (close(fd) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot write");
    }
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

static bool holds_bytes(int fd, const uint8_t *bytes, size_t size)
{
    uint8_t part[16384];

    for (;;) {
        ssize_t got = read(fd, part, sizeof(part));
        if (got < 0 || (size_t)got > size || memcmp(part, bytes, (size_t)got) != 0) {
            return false;
        }
        if (got == 0) {
            return size == 0;
        }
        bytes += got;
        size -= (size_t)got;
    }
}

enum mb_status mb_publish_update(struct mb_publish *publish, const char *path, const void *bytes,
                                 size_t size, bool *is_same, struct mb_error *err)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make us wait */

    *is_same = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
               (uint64_t)info.st_size == size && holds_bytes(fd, bytes, size);
    if (fd >= 0) {
        (void)close(fd);
    }
    return *is_same ? MB_OK : mb_publish_write(publish, path, bytes, size, err);
}

enum mb_status mb_publish_remove(struct mb_publish *publish, const char *path, struct mb_error *err)
{
    (void)pthread_mutex_lock(&publish->mutex);
    enum mb_status status = add_item(publish, path, NULL, err);
    (void)pthread_mutex_unlock(&publish->mutex);
    return status;
}

/* --- commit --- */

/* Make the folders on the way to path. What is made is remembered, for taking it back. */
static enum mb_status make_parents(struct mb_publish *publish, const char *path,
                                   struct mb_error *err)
{
    char *folder = mb_arena_copy(&publish->arena, path, strlen(path));

    if (folder == NULL) {
        return mb_fail_memory(err);
    }
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0777) == 0) {
            const char *made = mb_arena_copy(&publish->arena, folder, strlen(folder));
            mb_buf_put(&publish->made, &made, sizeof(made));
        } else if (errno != EEXIST && errno != EISDIR) {
            return mb_fail_errno(err, "cannot make its folder");
        }
        *slash = '/';
    }
    return mb_buf_check(&publish->made, err);
}

static enum mb_status make_folders(struct mb_publish *publish, const struct item *items,
                                   size_t count, struct mb_error *err)
{
    struct mb_strmap seen = {0};
    enum mb_status status = MB_OK;

    for (size_t i = 0; i < count && status == MB_OK; i++) {
        const char *slash = strrchr(items[i].path, '/');
        if (slash == NULL || items[i].staged == NULL) {
            continue;
        }
        void **slot = mb_strmap_slot(&seen, items[i].path, (size_t)(slash - items[i].path));
        if (slot == NULL) {
            status = mb_fail_memory(err);
        } else if (*slot == NULL) {
            *slot = publish;
            status = make_parents(publish, items[i].path, err);
            if (status != MB_OK) {
                mb_error_in_input(err, items[i].path);
            }
        }
    }
    mb_strmap_finish(&seen);
    return status;
}

static enum mb_status move_into_place(const struct item *item, struct mb_error *err)
{
    if (item->staged != NULL && rename(item->staged, item->path) != 0) {
        (void)mb_fail_errno(err, "cannot replace");
        mb_error_in_input(err, item->path);
        return MB_IO;
    }
    return MB_OK;
}

/* Killed in the middle of a commit, we would leave old outputs beside new ones. */
static void promise(struct mb_publish *publish, const struct item *items, size_t count)
{
    struct mb_buf moves = {0};

    for (size_t i = 0; i < count; i++) {
        mb_janitor_put_move(&moves, items[i].staged, items[i].path);
    }
    mb_janitor_promise(&publish->janitor, &moves);
    mb_buf_finish(&moves);
}

enum mb_status mb_publish_commit(struct mb_publish *publish, struct mb_error *err)
{
    size_t count = publish->items.size / sizeof(struct item);
    const struct item *items = (const struct item *)(const void *)publish->items.bytes;

    MB_TRY(make_folders(publish, items, count, err));
    promise(publish, items, count);
    for (size_t i = 0; i < count; i++) {
        MB_TRY(move_into_place(&items[i], err));
    }
    for (size_t i = 0; i < count; i++) {
        if (items[i].staged == NULL) {
            (void)unlink(items[i].path);
        }
    }
    publish->is_committed = true;
    remove_stagings(publish);
    mb_janitor_dismiss(&publish->janitor); /* it goes while the caller tidies up */
    return MB_OK;
}
