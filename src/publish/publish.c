#include "publish/publish.h"

#include "base/file.h"
#include "base/platform_folder.h"
#include "base/strmap.h"
#include "publish/commit.h"
#include "publish/route.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Names that differ in case only ---- */

/* True if the commit goes where case does not count. */
static bool ignores_case_anywhere(const struct pub_commit *commit)
{
    const struct pub_place *place = commit->places;

    while (place != NULL && !place->ignores_case) {
        place = place->next;
    }
    return place != NULL;
}

/* NULL when out of memory. */
static void **slot_of(struct mb_strmap *cases, const char *path)
{
    struct mb_buf key = {0};

    mb_put_case_key(&key, mb_text_of(path));
    void **slot = key.failed ? NULL : mb_strmap_slot(cases, (const char *)key.bytes, key.size);
    mb_buf_finish(&key);
    return slot;
}

/* From the part of the path on in which they differ. */
static const char *differing_part(const char *path, const char *other)
{
    const char *part = other;

    for (size_t i = 0; other[i] != '\0' && other[i] == path[i]; i++) {
        part = other[i] == '/' ? other + i + 1 : part;
    }
    return part;
}

/* The file stays there, and so does path. cases is empty at first: path apart from case -> path. */
static enum mb_status keep_case(struct mb_strmap *cases, const char *path, struct mb_error *err)
{
    void **slot = slot_of(cases, path);

    if (slot == NULL) {
        return mb_fail_memory(err);
    }
    *slot = (void *)(uintptr_t)path;
    return MB_OK;
}

static enum mb_status check_put(struct mb_strmap *cases, const char *path, struct mb_error *err)
{
    void **slot = slot_of(cases, path);
    const char *other = slot != NULL && *slot != NULL ? *slot : path;

    if (strcmp(other, path) != 0) {
        return mb_fail_in(err, MB_IO, path,
                          "case does not count here, where '%.80s' is an output too: write a jar",
                          differing_part(path, other));
    }
    return keep_case(cases, path, err);
}

static enum mb_status check_removal(struct mb_strmap *cases, struct pub_commit *commit,
                                    struct pub_move *move, struct mb_error *err)
{
    void **slot = slot_of(cases, move->path);

    if (slot == NULL) {
        return mb_fail_memory(err);
    }
    if (*slot != NULL && strcmp(*slot, move->path) != 0) {
        pub_commit_drop(commit, move);
    }
    return MB_OK;
}

/* MB_IO, naming both, if what is put and what is put or kept have one name where case does not
 * count. Drops removals of what is there under its name in another case. */
static enum mb_status check_moves(struct mb_strmap *cases, struct pub_commit *commit,
                                  struct mb_error *err)
{
    for (const struct pub_move *move = commit->first; move != NULL; move = move->next) {
        if (move->kind == PUB_PUT && move->place->ignores_case) {
            MB_TRY(check_put(cases, move->path, err));
        }
    }
    for (struct pub_move *move = commit->first; move != NULL; move = move->next) {
        if (move->kind == PUB_REMOVE && move->place->ignores_case) {
            MB_TRY(check_removal(cases, commit, move, err));
        }
    }
    return MB_OK;
}

/* A file that is to stay as it is. */
struct kept {
    struct kept *next;
    const char *path;
    struct pub_stamp stamp;
};

struct pub_outputs {
    pthread_mutex_t mutex; /* guards all below */
    struct pub_commit commit;
    struct pub_routes routes;
    struct mb_strmap last; /* path -> struct pub_move: the last word on it */
    struct kept *kept;
    enum mb_status (*add_last)(void *context, struct mb_error *err); /* or NULL */
    void *context;                                                   /* of add_last */
    unsigned next_number;
    bool is_over; /* committed; or half old, half new, and the staging folders have the rest */
};

/* For handlers of signals. */
static struct pub_outputs *current;

struct pub_outputs *pub_create(void)
{
    struct pub_outputs *outputs = calloc(1, sizeof(*outputs));

    if (outputs != NULL) {
        (void)pthread_mutex_init(&outputs->mutex, NULL);
        outputs->routes.commit = &outputs->commit;
        current = outputs;
    }
    return outputs;
}

static void remove_all(struct pub_outputs *outputs)
{
    pub_commit_remove(&outputs->commit);
    pub_routes_remove_made(&outputs->routes);
}

void pub_destroy(struct pub_outputs *outputs)
{
    if (outputs == NULL) {
        return;
    }
    current = NULL;
    if (!outputs->is_over) {
        pub_commit_remove(&outputs->commit);
        pub_commit_close(&outputs->commit); /* Windows keeps a folder that is open */
        pub_routes_remove_made(&outputs->routes);
    }
    pub_routes_finish(&outputs->routes);
    mb_strmap_finish(&outputs->last);
    pub_commit_finish(&outputs->commit);
    (void)pthread_mutex_destroy(&outputs->mutex);
    free(outputs);
}

void pub_abandon(void)
{
    if (current != NULL) {
        remove_all(current);
    }
}

/* --- outputs --- */

static enum mb_status prepare_place(struct pub_outputs *outputs, const char *folder, size_t size,
                                    struct mb_error *err)
{
    (void)pthread_mutex_lock(&outputs->mutex);
    enum mb_status status = pub_routes_prepare(&outputs->routes, folder, size, err);
    (void)pthread_mutex_unlock(&outputs->mutex);
    return status;
}

enum mb_status pub_prepare(struct pub_outputs *outputs, const char *folder, struct mb_error *err)
{
    return prepare_place(outputs, folder, strlen(folder), err);
}

enum mb_status pub_prepare_beside(struct pub_outputs *outputs, const char *path,
                                  struct mb_error *err)
{
    return prepare_place(outputs, path, pub_parent_size(path, strlen(path)), err);
}

/* Called with the mutex held. */
static enum mb_status add_move(struct pub_outputs *outputs, enum pub_kind kind, const char *path,
                               const struct pub_move **added, struct mb_error *err)
{
    struct mb_arena *arena = &outputs->commit.arena;
    void **slot = mb_strmap_slot(&outputs->last, path, strlen(path));
    struct pub_move *move = MB_NEW(arena, struct pub_move);
    const char *copy = mb_arena_copy(arena, path, strlen(path));

    if (slot == NULL || move == NULL || copy == NULL) {
        return mb_fail_memory(err);
    }
    *move = (struct pub_move){.kind = kind, .number = outputs->next_number++, .path = copy};
    MB_TRY(pub_routes_find(&outputs->routes, move, err));
    pub_commit_add(&outputs->commit, move);
    *slot = move;
    *added = move;
    return MB_OK;
}

static enum mb_status add_staged(struct pub_outputs *outputs, const char *path, int *fd,
                                 struct mb_error *err)
{
    char name[PUB_STAGED_NAME];
    const struct pub_move *move;

    MB_TRY(add_move(outputs, PUB_PUT, path, &move, err));
    pub_staged_name(name, move->number);
    *fd = mb_file_open(&move->place->staging, name, MB_FILE_NEW);
    return *fd >= 0 ? MB_OK : mb_fail_errno(err, "cannot create");
}

enum mb_status pub_open(struct pub_outputs *outputs, const char *path, int *fd,
                        struct mb_error *err)
{
    enum mb_status status = mb_file_check_output(path, err);

    if (status == MB_OK) {
        (void)pthread_mutex_lock(&outputs->mutex);
        status = add_staged(outputs, path, fd, err);
        (void)pthread_mutex_unlock(&outputs->mutex);
    }
    if (status != MB_OK) {
        mb_error_in_input(err, path);
        return status;
    }
    mb_file_take_mode(*fd, path);
    return MB_OK;
}

enum mb_status pub_write(struct pub_outputs *outputs, const char *path, const void *bytes,
                         size_t size, struct mb_error *err)
{
    int fd = -1;

    MB_TRY(pub_open(outputs, path, &fd, err));
    enum mb_status status = mb_file_write_all(fd, bytes, size, err);
    if (close(fd) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot write");
    }
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

static enum mb_status add_kept(struct pub_outputs *outputs, const char *path,
                               const struct mb_file_info *info, struct mb_error *err)
{
    (void)pthread_mutex_lock(&outputs->mutex);
    struct kept *kept = MB_NEW(&outputs->commit.arena, struct kept);
    const char *copy = mb_arena_copy(&outputs->commit.arena, path, strlen(path));
    if (kept != NULL && copy != NULL) {
        *kept = (struct kept){outputs->kept, copy, pub_stamp(info)};
        outputs->kept = kept;
    }
    (void)pthread_mutex_unlock(&outputs->mutex);
    return kept != NULL && copy != NULL ? MB_OK : mb_fail_memory(err);
}

enum mb_status pub_keep(struct pub_outputs *outputs, const char *path, struct mb_error *err)
{
    struct mb_file_info info;

    return path != NULL && mb_file_look(NULL, path, &info) && info.type == MB_FILE_REGULAR
               ? add_kept(outputs, path, &info, err)
               : MB_OK; /* of a folder each file is kept for itself */
}

static bool holds_bytes(int fd, const uint8_t *bytes, size_t size)
{
    uint8_t part[16384];

    for (;;) {
        ptrdiff_t got = mb_file_get(fd, part, sizeof(part));
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

enum mb_status pub_update(struct pub_outputs *outputs, const char *path, const void *bytes,
                          size_t size, bool *is_same, struct mb_error *err)
{
    struct mb_file_info info;
    int fd = mb_file_open(NULL, path, MB_FILE_READ);

    *is_same = fd >= 0 && mb_file_look_open(fd, &info) && info.type == MB_FILE_REGULAR &&
               info.size == size && holds_bytes(fd, bytes, size);
    if (fd >= 0) {
        (void)close(fd);
    }
    return *is_same ? add_kept(outputs, path, &info, err)
                    : pub_write(outputs, path, bytes, size, err);
}

static enum mb_status add_removal(struct pub_outputs *outputs, const char *path,
                                  struct mb_error *err)
{
    const struct pub_move *move = mb_strmap_find(&outputs->last, path, strlen(path));

    return move != NULL && move->kind == PUB_REMOVE
               ? MB_OK
               : add_move(outputs, PUB_REMOVE, path, &move, err);
}

enum mb_status pub_remove(struct pub_outputs *outputs, const char *path, struct mb_error *err)
{
    (void)pthread_mutex_lock(&outputs->mutex);
    enum mb_status status = add_removal(outputs, path, err);
    (void)pthread_mutex_unlock(&outputs->mutex);
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

void pub_on_commit(struct pub_outputs *outputs,
                   enum mb_status (*add_last)(void *context, struct mb_error *err), void *context)
{
    outputs->add_last = add_last;
    outputs->context = context;
}

bool pub_look(struct pub_outputs *outputs, const char *path, struct mb_file_info *info)
{
    char name[PUB_STAGED_NAME];

    (void)pthread_mutex_lock(&outputs->mutex);
    const struct pub_move *move = mb_strmap_find(&outputs->last, path, strlen(path));
    (void)pthread_mutex_unlock(&outputs->mutex);
    if (move == NULL) {
        return mb_file_look(NULL, path, info);
    }
    pub_staged_name(name, move->number);
    return move->kind == PUB_PUT && mb_file_look_at_link(&move->place->staging, name, info);
}

/* --- commit --- */

static enum mb_status check_unchanged(const struct kept *kept, struct mb_error *err)
{
    struct mb_file_info info = {0};

    if (!mb_file_look(NULL, kept->path, &info) && errno != ENOENT && errno != ENOTDIR) {
        return mb_fail_errno(err, "cannot stat");
    }
    struct pub_stamp now = pub_stamp(&info);
    return memcmp(&now, &kept->stamp, sizeof(now)) == 0
               ? MB_OK
               : mb_fail(err, MB_IO, MB_NO_OFFSET, "another process has changed it meanwhile");
}

static enum mb_status check_kept(const struct pub_outputs *outputs, struct mb_error *err)
{
    enum mb_status status = MB_OK;

    for (const struct kept *kept = outputs->kept; kept != NULL && status == MB_OK;
         kept = kept->next) {
        if (mb_strmap_find(&outputs->last, kept->path, strlen(kept->path)) == NULL) {
            status = check_unchanged(kept, err);
        }
        if (status != MB_OK) {
            mb_error_in_input(err, kept->path);
        }
    }
    return status;
}

static enum mb_status check_cases(struct pub_outputs *outputs, struct mb_error *err)
{
    struct mb_strmap cases = {0};
    enum mb_status status = MB_OK;

    for (const struct kept *kept = outputs->kept; status == MB_OK && kept != NULL;
         kept = kept->next) {
        if (mb_strmap_find(&outputs->last, kept->path, strlen(kept->path)) == NULL) {
            status = keep_case(&cases, kept->path, err);
        }
    }
    if (status == MB_OK) {
        status = check_moves(&cases, &outputs->commit, err);
    }
    mb_strmap_finish(&cases);
    return status;
}

static enum mb_status do_all(struct pub_outputs *outputs, struct mb_error *err)
{
    struct mb_error second = {0};

    MB_TRY(check_kept(outputs, err));
    if (outputs->add_last != NULL) {
        MB_TRY(outputs->add_last(outputs->context, err));
    }
    if (ignores_case_anywhere(&outputs->commit)) {
        MB_TRY(check_cases(outputs, err));
    }
    enum mb_status status = pub_commit_do(&outputs->commit, err);
    if (status != MB_OK && pub_commit_undo(&outputs->commit, &second) != MB_OK) {
        outputs->is_over = true; /* the next run will try again */
        if (err != NULL) {
            *err = second;
        }
    }
    return status;
}

enum mb_status pub_commit(struct pub_outputs *outputs, struct mb_error *err)
{
    MB_TRY(pub_commit_lock(&outputs->commit, err));
    enum mb_status status = do_all(outputs, err);
    pub_commit_unlock(&outputs->commit);
    if (status == MB_OK) {
        outputs->is_over = true;
        pub_commit_remove(&outputs->commit);
    }
    return status;
}
