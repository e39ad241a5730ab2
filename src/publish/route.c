#include "publish/route.h"

#include "publish/journal.h"
#include "publish/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder with outputs of which the caller told, or where another mount begins. */
struct root {
    const char *folder;
    struct pub_place *place; /* NULL: nothing is staged yet */
    bool is_recovered;
};

/* What is known of a folder on the way to outputs. */
struct way {
    struct root *root;
    size_t root_size; /* of the root's part of the path */
    bool is_writable; /* it was looked at, or will be made */
};

/* --- paths --- */

size_t pub_parent_size(const char *path, size_t size)
{
    size_t end = size;

    while (end > 0 && path[end - 1] != '/') {
        end--;
    }
    return end == 1 && size > 1 ? 1 : end - (end > 0);
}

/* Where the component that begins at start, maybe behind slashes, ends. */
static size_t component_end(const char *path, size_t start, size_t size)
{
    while (start < size && path[start] == '/') {
        start++;
    }
    while (start < size && path[start] != '/') {
        start++;
    }
    return start;
}

static const char *skip_slashes(const char *path)
{
    return path + strspn(path, "/");
}

static const char *named(const char *folder)
{
    return folder[0] != '\0' ? folder : ".";
}

static enum mb_status fail(struct mb_error *err)
{
    return mb_fail_errno(err, "cannot write here");
}

/* --- places --- */

/* Make a folder and those above it. What is made is remembered, for taking it back. */
static enum mb_status make_folders(struct pub_routes *routes, const char *folder,
                                   struct mb_error *err)
{
    size_t size = strlen(folder);

    for (size_t end = component_end(folder, 0, size); end > 0;
         end = component_end(folder, end, size)) {
        char *part = mb_arena_copy(&routes->arena, folder, end);
        if (part == NULL || !mb_buf_reserve(&routes->made, sizeof(part))) {
            return mb_fail_memory(err);
        }
        if (mkdir(part, 0777) == 0) {
            mb_buf_put(&routes->made, &part, sizeof(part)); /* has its room already */
        } else if (errno != EEXIST && errno != EISDIR) {
            return mb_fail_errno(err, "cannot make its folder");
        }
        if (end == size) {
            break;
        }
    }
    return MB_OK;
}

static struct pub_place *find_place(const struct pub_routes *routes, const struct stat *info)
{
    struct pub_place *place = routes->places;

    while (place != NULL && (place->device != info->st_dev || place->inode != info->st_ino)) {
        place = place->next;
    }
    return place;
}

static enum mb_status add_place(struct pub_routes *routes, struct root *root, const char *real,
                                const struct stat *info, struct mb_error *err)
{
    struct pub_place *place = MB_NEW(&routes->arena, struct pub_place);

    if (place == NULL) {
        return mb_fail_memory(err);
    }
    if (!root->is_recovered) {
        MB_TRY(pub_recover(real, err));
    }
    MB_TRY(pub_staging_create(&place->staging, real, err));
    place->device = info->st_dev;
    place->inode = info->st_ino;
    place->next = routes->places;
    routes->places = place;
    root->place = place;
    return MB_OK;
}

static enum mb_status make_place(struct pub_routes *routes, struct root *root, struct mb_error *err)
{
    struct stat info;

    if (root->place != NULL) {
        return MB_OK;
    }
    MB_TRY(make_folders(routes, root->folder, err));
    char *real = realpath(named(root->folder), NULL);
    if (real == NULL || stat(real, &info) != 0) {
        free(real);
        return fail(err);
    }
    root->place = find_place(routes, &info);
    enum mb_status status = root->place == NULL ? add_place(routes, root, real, &info, err) : MB_OK;
    free(real);
    return status;
}

/* --- ways --- */

static enum mb_status add_way(struct pub_routes *routes, const char *folder, struct way way,
                              struct way **added, struct mb_error *err)
{
    void **slot = mb_strmap_slot(&routes->ways, folder, strlen(folder));

    *added = MB_NEW(&routes->arena, struct way);
    if (slot == NULL || *added == NULL) {
        return mb_fail_memory(err);
    }
    **added = way;
    *slot = *added;
    return MB_OK;
}

static enum mb_status add_root(struct pub_routes *routes, const char *folder, struct way **added,
                               struct mb_error *err)
{
    struct root *root = MB_NEW(&routes->arena, struct root);

    if (root == NULL) {
        return mb_fail_memory(err);
    }
    root->folder = folder;
    struct way way = {.root = root, .root_size = strlen(folder), .is_writable = true};
    return add_way(routes, folder, way, added, err);
}

enum mb_status pub_routes_prepare(struct pub_routes *routes, const char *folder, size_t size,
                                  struct mb_error *err)
{
    struct way *way;

    if (mb_strmap_find(&routes->ways, folder, size) != NULL) {
        return MB_OK;
    }
    const char *copy = mb_arena_copy(&routes->arena, folder, size);
    if (copy == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(add_root(routes, copy, &way, err));
    char *real = realpath(named(copy), NULL);
    if (real == NULL) {
        return errno == ENOMEM ? mb_fail_memory(err) : MB_OK; /* not there yet */
    }
    enum mb_status status = pub_recover(real, err);
    free(real);
    way->root->is_recovered = status == MB_OK;
    return status;
}

/* Whether what is staged at the place cannot be renamed into folder, which is there. A rename of a
 * file that is not there says so, and does nothing; any other answer could mean either. */
static enum mb_status look_at_mount(const struct pub_place *place, const char *folder,
                                    const struct stat *info, bool *is_other, struct mb_error *err)
{
    char target[4096];
    int size = snprintf(target, sizeof(target), "%s/.methodbeat-none", folder);

    *is_other = info->st_dev != place->device;
    if (*is_other || size >= (int)sizeof(target)) {
        return MB_OK;
    }
    bool is_renamed = renameat(place->staging.fd, "none", AT_FDCWD, target) == 0;
    *is_other = !is_renamed && errno == EXDEV;
    return is_renamed || *is_other || errno == ENOENT ? MB_OK : fail(err);
}

static enum mb_status add_missing(struct pub_routes *routes, const char *folder, struct way way,
                                  struct way **added, struct mb_error *err)
{
    struct pub_move move = {
        .kind = PUB_MOVE_FOLDER,
        .name = skip_slashes(folder + way.root_size),
        .path = folder,
    };

    way.is_writable = true;
    mb_buf_put(&way.root->place->moves, &move, sizeof(move));
    MB_TRY(mb_buf_check(&way.root->place->moves, err));
    return add_way(routes, folder, way, added, err);
}

/* From a folder above, *way, to this one below it. */
static enum mb_status step_down(struct pub_routes *routes, const char *folder, struct way **way,
                                struct mb_error *err)
{
    struct way below = {.root = (*way)->root, .root_size = (*way)->root_size};
    size_t size = strlen(folder);
    struct stat info;

    if (size >= 2 && strcmp(folder + size - 2, "..") == 0) {
        return add_root(routes, folder, way, err); /* may lead out of the place */
    }
    MB_TRY(make_place(routes, below.root, err));
    if (stat(folder, &info) != 0) {
        return errno == ENOENT ? add_missing(routes, folder, below, way, err) : fail(err);
    }
    if (!S_ISDIR(info.st_mode)) {
        errno = ENOTDIR;
        return fail(err);
    }
    bool is_other = false;
    MB_TRY(look_at_mount(below.root->place, folder, &info, &is_other, err));
    return is_other ? add_root(routes, folder, way, err) : add_way(routes, folder, below, way, err);
}

/* The deepest folder on the way that is known, if any; size is how much of the path names it. */
static struct way *find_known(const struct pub_routes *routes, const char *path, size_t *size)
{
    struct way *way = mb_strmap_find(&routes->ways, path, *size);

    while (way == NULL && *size > 0) {
        *size = pub_parent_size(path, *size);
        if (*size == 0 && path[0] == '/') {
            return NULL;
        }
        way = mb_strmap_find(&routes->ways, path, *size);
    }
    return way;
}

static enum mb_status find_way(struct pub_routes *routes, const char *path, size_t size,
                               struct way **way, struct mb_error *err)
{
    size_t known = size;

    *way = find_known(routes, path, &known);
    if (*way == NULL) {
        const char *folder = mb_arena_copy(&routes->arena, path, size);
        return folder != NULL ? add_root(routes, folder, way, err) : mb_fail_memory(err);
    }
    while (known < size) {
        known = component_end(path, known, size);
        const char *folder = mb_arena_copy(&routes->arena, path, known);
        if (folder == NULL) {
            return mb_fail_memory(err);
        }
        MB_TRY(step_down(routes, folder, way, err));
    }
    return MB_OK;
}

static enum mb_status check_writable(struct way *way, const char *path, size_t size,
                                     struct mb_error *err)
{
    if (!way->is_writable) {
        char *folder = strndup(path, size);
        if (folder == NULL) {
            return mb_fail_memory(err);
        }
        way->is_writable = access(folder, W_OK | X_OK) == 0;
        free(folder);
    }
    return way->is_writable ? MB_OK : fail(err);
}

enum mb_status pub_routes_find(struct pub_routes *routes, const char *path,
                               struct pub_place **place, const char **name, struct mb_error *err)
{
    size_t size = pub_parent_size(path, strlen(path));
    struct way *way;

    MB_TRY(find_way(routes, path, size, &way, err));
    MB_TRY(make_place(routes, way->root, err));
    MB_TRY(check_writable(way, path, size, err));
    *place = way->root->place;
    *name = skip_slashes(path + way->root_size);
    return MB_OK;
}

/* --- the end --- */

void pub_routes_remove_made(struct pub_routes *routes)
{
    while (routes->made.size > 0) {
        const char *folder;
        routes->made.size -= sizeof(folder);
        memcpy(&folder, routes->made.bytes + routes->made.size, sizeof(folder));
        (void)rmdir(folder);
    }
}

void pub_routes_finish(struct pub_routes *routes)
{
    for (struct pub_place *place = routes->places; place != NULL; place = place->next) {
        pub_staging_close(&place->staging);
        mb_buf_finish(&place->moves);
    }
    mb_strmap_finish(&routes->ways);
    mb_buf_finish(&routes->made);
    mb_arena_finish(&routes->arena);
}
