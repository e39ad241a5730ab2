#include "publish/publish.h"

#include "base/file.h"
#include "publish/journal.h"
#include "publish/lock.h"
#include "publish/route.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file that is to stay as it is. */
struct kept {
    const char *path;
    struct pub_file_stamp stamp;
};

/* The last word on a path. */
struct staged {
    const struct pub_place *place; /* NULL: it is to be removed */
    unsigned number;
};

struct pub_outputs {
    pthread_mutex_t mutex; /* guards all below */
    struct mb_arena arena;
    struct pub_routes routes;
    struct mb_strmap staged;                                         /* path -> struct staged */
    struct mb_buf kept;                                              /* struct kept */
    enum mb_status (*add_last)(void *context, struct mb_error *err); /* or NULL */
    void *context;                                                   /* of add_last */
    unsigned next_number;
    bool is_committed;
    bool is_stuck; /* outputs are half old, half new: the staging folders have the rest */
};

/* For handlers of signals. */
static struct pub_outputs *current;

struct pub_outputs *pub_create(void)
{
    struct pub_outputs *publish = calloc(1, sizeof(*publish));

    if (publish != NULL) {
        (void)pthread_mutex_init(&publish->mutex, NULL);
        current = publish;
    }
    return publish;
}

/* Listing a folder takes memory and a descriptor; what it was given has numbers. */
static bool remove_staging(const struct pub_outputs *publish, const struct pub_place *place)
{
    return pub_staging_remove(&place->staging) ||
           pub_staging_abandon(&place->staging, publish->next_number);
}

/* The first decides what becomes of the others, so it outlives them. */
static void remove_stagings(const struct pub_outputs *publish)
{
    const struct pub_place *first = publish->routes.places;
    bool are_gone = true;

    for (const struct pub_place *place = first; place != NULL; place = place->next) {
        are_gone &= place == first || remove_staging(publish, place);
    }
    if (first != NULL && are_gone) {
        (void)remove_staging(publish, first);
    }
}

void pub_destroy(struct pub_outputs *publish)
{
    if (publish == NULL) {
        return;
    }
    current = NULL;
    if (!publish->is_committed && !publish->is_stuck) {
        remove_stagings(publish);
        pub_routes_remove_made(&publish->routes);
    }
    pub_routes_finish(&publish->routes);
    mb_strmap_finish(&publish->staged);
    mb_buf_finish(&publish->kept);
    mb_arena_finish(&publish->arena);
    (void)pthread_mutex_destroy(&publish->mutex);
    free(publish);
}

void pub_abandon(void)
{
    const struct pub_place *place = current != NULL ? current->routes.places : NULL;

    for (; place != NULL; place = place->next) {
        (void)pub_staging_abandon(&place->staging, current->next_number);
    }
    if (current != NULL) {
        pub_routes_remove_made(&current->routes);
    }
}

/* --- outputs --- */

static enum mb_status prepare(struct pub_outputs *publish, const char *folder, size_t size,
                              struct mb_error *err)
{
    (void)pthread_mutex_lock(&publish->mutex);
    enum mb_status status = pub_routes_prepare(&publish->routes, folder, size, err);
    (void)pthread_mutex_unlock(&publish->mutex);
    return status;
}

enum mb_status pub_prepare(struct pub_outputs *publish, const char *folder, struct mb_error *err)
{
    return prepare(publish, folder, strlen(folder), err);
}

enum mb_status pub_prepare_beside(struct pub_outputs *publish, const char *path,
                                  struct mb_error *err)
{
    return prepare(publish, path, pub_parent_size(path, strlen(path)), err);
}

/* Called with the mutex held, as all that add. */
static enum mb_status add_move(struct pub_outputs *publish, enum pub_move_kind kind,
                               const char *path, struct pub_place **place, struct mb_error *err)
{
    struct pub_move move = {.kind = kind, .number = publish->next_number};

    move.path = mb_arena_copy(&publish->arena, path, strlen(path));
    if (move.path == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(pub_routes_find(&publish->routes, move.path, place, &move.name, err));
    publish->next_number++;
    mb_buf_put(&(*place)->moves, &move, sizeof(move));
    return mb_buf_check(&(*place)->moves, err);
}

static enum mb_status remember(struct pub_outputs *publish, const char *path, struct staged last,
                               struct mb_error *err)
{
    void **slot = mb_strmap_slot(&publish->staged, path, strlen(path));
    struct staged *staged = MB_NEW(&publish->arena, struct staged);

    if (slot == NULL || staged == NULL) {
        return mb_fail_memory(err);
    }
    *staged = last;
    *slot = staged;
    return MB_OK;
}

static enum mb_status add_staged(struct pub_outputs *publish, const char *path, int *fd,
                                 struct mb_error *err)
{
    char name[PUB_STAGED_NAME];
    struct staged staged = {.number = publish->next_number};
    struct pub_place *place = NULL;

    MB_TRY(add_move(publish, PUB_MOVE_PUT, path, &place, err));
    staged.place = place;
    MB_TRY(remember(publish, path, staged, err));
    pub_staged_name(name, staged.number);
    *fd = openat(place->staging.fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return *fd >= 0 ? MB_OK : mb_fail_errno(err, "cannot create");
}

/* What is replaced keeps its permissions. */
static void keep_mode(const char *path, int fd)
{
    struct stat old;

    if (stat(path, &old) == 0) {
        (void)fchmod(fd, old.st_mode & 07777);
    }
}

enum mb_status pub_open(struct pub_outputs *publish, const char *path, int *fd,
                        struct mb_error *err)
{
    enum mb_status status = mb_file_check_output(path, err);

    if (status == MB_OK) {
        (void)pthread_mutex_lock(&publish->mutex);
        status = add_staged(publish, path, fd, err);
        (void)pthread_mutex_unlock(&publish->mutex);
    }
    if (status != MB_OK) {
        mb_error_in_input(err, path);
        return status;
    }
    keep_mode(path, *fd);
    return MB_OK;
}

enum mb_status pub_write(struct pub_outputs *publish, const char *path, const void *bytes,
                         size_t size, struct mb_error *err)
{
    int fd = -1;

    MB_TRY(pub_open(publish, path, &fd, err));
    enum mb_status status = mb_file_write_all(fd, bytes, size, err);
    if (close(fd) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot write");
    }
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

static enum mb_status add_kept(struct pub_outputs *publish, const char *path,
                               const struct stat *info, struct mb_error *err)
{
    struct kept kept = {.stamp = pub_file_stamp(info)};

    (void)pthread_mutex_lock(&publish->mutex);
    kept.path = mb_arena_copy(&publish->arena, path, strlen(path));
    mb_buf_put(&publish->kept, &kept, sizeof(kept));
    enum mb_status status =
        kept.path != NULL ? mb_buf_check(&publish->kept, err) : mb_fail_memory(err);
    (void)pthread_mutex_unlock(&publish->mutex);
    return status;
}

enum mb_status pub_keep(struct pub_outputs *publish, const char *path, struct mb_error *err)
{
    struct stat info;

    return path != NULL && stat(path, &info) == 0 && S_ISREG(info.st_mode)
               ? add_kept(publish, path, &info, err)
               : MB_OK; /* of a folder each file is kept for itself */
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

enum mb_status pub_update(struct pub_outputs *publish, const char *path, const void *bytes,
                          size_t size, bool *is_same, struct mb_error *err)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make us wait */

    *is_same = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
               (uint64_t)info.st_size == size && holds_bytes(fd, bytes, size);
    if (fd >= 0) {
        (void)close(fd);
    }
    return *is_same ? add_kept(publish, path, &info, err)
                    : pub_write(publish, path, bytes, size, err);
}

static enum mb_status add_removal(struct pub_outputs *publish, const char *path,
                                  struct mb_error *err)
{
    const struct staged *staged = mb_strmap_find(&publish->staged, path, strlen(path));
    struct pub_place *place;

    if (staged != NULL && staged->place == NULL) {
        return MB_OK;
    }
    MB_TRY(add_move(publish, PUB_MOVE_REMOVE, path, &place, err));
    return remember(publish, path, (struct staged){0}, err);
}

enum mb_status pub_remove(struct pub_outputs *publish, const char *path, struct mb_error *err)
{
    (void)pthread_mutex_lock(&publish->mutex);
    enum mb_status status = add_removal(publish, path, err);
    (void)pthread_mutex_unlock(&publish->mutex);
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

void pub_on_commit(struct pub_outputs *publish,
                   enum mb_status (*add_last)(void *context, struct mb_error *err), void *context)
{
    publish->add_last = add_last;
    publish->context = context;
}

bool pub_stat(struct pub_outputs *publish, const char *path, struct stat *info)
{
    char name[PUB_STAGED_NAME];

    (void)pthread_mutex_lock(&publish->mutex);
    const struct staged *staged = mb_strmap_find(&publish->staged, path, strlen(path));
    (void)pthread_mutex_unlock(&publish->mutex);
    if (staged == NULL || staged->place == NULL) {
        return staged == NULL && stat(path, info) == 0;
    }
    pub_staged_name(name, staged->number);
    return fstatat(staged->place->staging.fd, name, info, AT_SYMLINK_NOFOLLOW) == 0;
}

/* --- commit --- */

static enum mb_status check_unchanged(const struct kept *kept, struct mb_error *err)
{
    struct stat info = {0};

    if (stat(kept->path, &info) != 0 && errno != ENOENT && errno != ENOTDIR) {
        return mb_fail_errno(err, "cannot stat");
    }
    struct pub_file_stamp now = pub_file_stamp(&info);
    return memcmp(&now, &kept->stamp, sizeof(now)) == 0
               ? MB_OK
               : mb_fail(err, MB_IO, MB_NO_OFFSET, "somebody else has changed it meanwhile");
}

static enum mb_status check_kept(const struct pub_outputs *publish, struct mb_error *err)
{
    for (size_t at = 0; at < publish->kept.size; at += sizeof(struct kept)) {
        struct kept kept;
        memcpy(&kept, publish->kept.bytes + at, sizeof(kept));
        bool is_put = mb_strmap_find(&publish->staged, kept.path, strlen(kept.path)) != NULL;
        enum mb_status status = is_put ? MB_OK : check_unchanged(&kept, err);
        if (status != MB_OK) {
            mb_error_in_input(err, kept.path);
            return status;
        }
    }
    return MB_OK;
}

/* By which the files will be known to be ours. */
static enum mb_status stamp_staged(struct pub_place *place, struct mb_error *err)
{
    for (size_t at = 0; at < place->moves.size; at += sizeof(struct pub_move)) {
        struct pub_move *move = (struct pub_move *)(void *)(place->moves.bytes + at);
        char name[PUB_STAGED_NAME];
        struct stat info;
        if (move->kind != PUB_MOVE_PUT) {
            continue;
        }
        pub_staged_name(name, move->number);
        if (fstatat(place->staging.fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
            (void)mb_fail_errno(err, "cannot find what was staged");
            mb_error_in_input(err, move->path);
            return MB_IO;
        }
        move->stamp = pub_file_stamp(&info);
    }
    return MB_OK;
}

static enum mb_status write_journals(const struct pub_outputs *publish, struct mb_error *err)
{
    struct pub_journal journal = {0};

    for (struct pub_place *place = publish->routes.places; place != NULL; place = place->next) {
        mb_buf_put(&journal.stagings, &place->staging.path, sizeof(place->staging.path));
    }
    enum mb_status status = mb_buf_check(&journal.stagings, err);
    for (struct pub_place *place = publish->routes.places; place != NULL && status == MB_OK;
         place = place->next) {
        status = stamp_staged(place, err);
        journal.moves = place->moves; /* borrowed */
        status = status == MB_OK ? pub_journal_write(place->staging.fd, &journal, err) : status;
        if (status != MB_OK) {
            mb_error_in_input(err, place->staging.path);
        }
    }
    mb_buf_finish(&journal.stagings);
    return status;
}

static enum mb_status do_moves(struct pub_place *place, struct mb_error *err)
{
    const struct pub_move *moves = (const struct pub_move *)(const void *)place->moves.bytes;
    size_t count = place->moves.size / sizeof(*moves);

    while (place->done_count < count) {
        place->done_count++; /* one that fails may be half done */
        MB_TRY(pub_move_do(&moves[place->done_count - 1], place->staging.folder, place->staging.fd,
                           err));
    }
    return MB_OK;
}

static enum mb_status undo_moves(struct pub_place *place, struct mb_error *err)
{
    const struct pub_move *moves = (const struct pub_move *)(const void *)place->moves.bytes;

    for (; place->done_count > 0; place->done_count--) {
        MB_TRY(pub_move_undo(&moves[place->done_count - 1], place->staging.folder,
                             place->staging.fd, err));
    }
    return MB_OK;
}

/* Back to what was there before. If that fails too, the next run will try again. */
static void roll_back(struct pub_outputs *publish, struct mb_error *err)
{
    struct mb_error second = {0};

    for (struct pub_place *place = publish->routes.places; place != NULL; place = place->next) {
        if (undo_moves(place, &second) != MB_OK) {
            publish->is_stuck = true;
            if (err != NULL) {
                *err = second;
            }
            return;
        }
    }
    for (struct pub_place *place = publish->routes.places; place != NULL; place = place->next) {
        if (pub_journal_clear(place->staging.fd, NULL) != MB_OK) {
            return; /* read by the next run, it changes nothing more */
        }
    }
}

static enum mb_status move_all(struct pub_outputs *publish, struct mb_error *err)
{
    enum mb_status status = write_journals(publish, err);

    for (struct pub_place *place = publish->routes.places; place != NULL && status == MB_OK;
         place = place->next) {
        status = do_moves(place, err);
    }
    if (status == MB_OK && publish->routes.places != NULL) {
        status = pub_journal_close(publish->routes.places->staging.fd, err);
    }
    if (status != MB_OK) {
        roll_back(publish, err);
    }
    return status;
}

enum mb_status pub_commit(struct pub_outputs *publish, struct mb_error *err)
{
    struct mb_buf buf = {0};

    for (struct pub_place *place = publish->routes.places; place != NULL; place = place->next) {
        struct pub_lock lock = {place->staging.folder, -1, place->staging.path};
        mb_buf_put(&buf, &lock, sizeof(lock));
    }
    MB_TRY(mb_buf_check(&buf, err));
    struct pub_lock *locks = (struct pub_lock *)(void *)buf.bytes;
    size_t count = buf.size / sizeof(*locks);
    enum mb_status status = pub_lock_all(locks, count, err);
    if (status == MB_OK) {
        status = check_kept(publish, err);
        if (status == MB_OK && publish->add_last != NULL) {
            status = publish->add_last(publish->context, err);
        }
        status = status == MB_OK ? move_all(publish, err) : status;
        pub_unlock_all(locks, count);
    }
    mb_buf_finish(&buf);
    publish->is_committed = status == MB_OK;
    if (publish->is_committed) {
        remove_stagings(publish);
    }
    return status;
}
