#include "publish/route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A folder of outputs named by the caller, or the root of another mount. */
struct root {
    const char *folder;
    struct pub_place *place; /* NULL: not yet used */
};

struct pub_made {
    struct pub_made *next;
    const char *folder;
};

/* --- paths --- */

size_t pub_parent_size(const char *path, size_t size)
{
    size_t root = mb_path_root_size(path);
    size_t end = size;

    while (end > 0 && path[end - 1] != '/') {
        end--;
    }
    return end <= root && size > root ? root : end - (end > 0);
}

/* Relative to the folder of the root, in whose spelling the path begins. */
static const char *name_in(const struct root *root, const char *path)
{
    const char *name = path + strlen(root->folder);

    return name + strspn(name, "/");
}

static const char *get_name(const char *folder)
{
    return folder[0] != '\0' ? folder : ".";
}

static enum mb_status fail_folder(struct mb_error *err)
{
    return mb_fail_errno(err, "cannot write here");
}

/* --- places --- */

/* Created folders are recorded for the undo. */
static enum mb_status make_folder(struct pub_routes *routes, const char *folder, size_t size,
                                  struct mb_error *err)
{
    struct pub_made *made = MB_NEW(&routes->commit->arena, struct pub_made);
    const char *path = mb_arena_copy(&routes->commit->arena, folder, size);

    if (made == NULL || path == NULL) {
        return mb_fail_memory(err);
    }
    if (mb_folder_make(NULL, path)) {
        *made = (struct pub_made){routes->made, path};
        routes->made = made;
    } else if (errno != EEXIST && errno != EISDIR) {
        return mb_fail_errno(err, "cannot make its folder");
    }
    return MB_OK;
}

static enum mb_status make_folders(struct pub_routes *routes, const char *folder,
                                   struct mb_error *err)
{
    for (size_t end = mb_path_root_size(folder); folder[end] != '\0';) {
        end += strspn(folder + end, "/");
        end += strcspn(folder + end, "/");
        MB_TRY(make_folder(routes, folder, end, err));
    }
    return MB_OK;
}

static struct pub_place *find_place(const struct pub_commit *commit,
                                    const struct mb_file_info *info)
{
    struct pub_place *place = commit->places;
    struct mb_file_info other;

    while (place != NULL &&
           (!mb_file_look(&place->folder, "", &other) || !mb_file_id_is(other.id, info->id))) {
        place = place->next;
    }
    return place;
}

static enum mb_status take_place(struct pub_routes *routes, struct root *root, const char *folder,
                                 struct mb_error *err)
{
    struct mb_file_info info;

    if (!mb_file_look(NULL, folder, &info)) {
        return fail_folder(err);
    }
    root->place = find_place(routes->commit, &info);
    if (root->place == NULL) {
        MB_TRY(pub_recover(folder, err));
        MB_TRY(pub_staging_create(routes->commit, folder, err));
        root->place = routes->commit->places;
    }
    return MB_OK;
}

static enum mb_status make_place(struct pub_routes *routes, struct root *root, struct mb_error *err)
{
    if (root->place != NULL) {
        return MB_OK;
    }
    MB_TRY(make_folders(routes, root->folder, err));
    char *real = mb_path_real(get_name(root->folder));
    if (real == NULL) {
        return fail_folder(err);
    }
    const char *folder = mb_arena_copy(&routes->commit->arena, real, strlen(real));
    free(real);
    return folder != NULL ? take_place(routes, root, folder, err) : mb_fail_memory(err);
}

/* --- roots --- */

static enum mb_status remember_root(struct pub_routes *routes, const char *folder,
                                    struct root *root, struct mb_error *err)
{
    void **slot = mb_strmap_slot(&routes->roots, folder, strlen(folder));

    if (slot == NULL) {
        return mb_fail_memory(err);
    }
    *slot = root;
    return MB_OK;
}

static enum mb_status add_root(struct pub_routes *routes, const char *folder, struct root **root,
                               struct mb_error *err)
{
    *root = MB_NEW(&routes->commit->arena, struct root);
    if (*root == NULL) {
        return mb_fail_memory(err);
    }
    (*root)->folder = folder;
    return remember_root(routes, folder, *root, err);
}

enum mb_status pub_routes_prepare(struct pub_routes *routes, const char *folder, size_t size,
                                  struct mb_error *err)
{
    struct root *root;

    if (mb_strmap_find(&routes->roots, folder, size) != NULL) {
        return MB_OK;
    }
    const char *copy = mb_arena_copy(&routes->commit->arena, folder, size);
    if (copy == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(add_root(routes, copy, &root, err));
    return pub_recover(get_name(copy), err);
}

static enum mb_status add_missing(struct pub_routes *routes, const char *folder, struct root *root,
                                  struct mb_error *err)
{
    struct pub_move *move = MB_NEW(&routes->commit->arena, struct pub_move);

    if (move == NULL) {
        return mb_fail_memory(err);
    }
    *move = (struct pub_move){
        .kind = PUB_FOLDER,
        .place = root->place,
        .name = name_in(root, folder),
        .path = folder,
    };
    pub_commit_add(routes->commit, move);
    return remember_root(routes, folder, root, err);
}

/* The path from the root of a folder above to that of this one, which may lead out of its place. */
static enum mb_status step_down(struct pub_routes *routes, const char *folder, struct root **root,
                                struct mb_error *err)
{
    size_t size = strlen(folder);
    struct mb_file_info info;
    bool is_other = size >= 2 && strcmp(folder + size - 2, "..") == 0;

    if (!is_other) {
        MB_TRY(make_place(routes, *root, err));
        if (!mb_file_look(NULL, folder, &info)) {
            return errno == ENOENT ? add_missing(routes, folder, *root, err) : fail_folder(err);
        }
        if (info.type != MB_FILE_FOLDER) {
            errno = ENOTDIR;
            return fail_folder(err);
        }
        bool can_rename = true;
        if (!mb_folder_can_rename(&(*root)->place->staging, folder, &can_rename)) {
            return fail_folder(err);
        }
        is_other = !can_rename;
    }
    return is_other ? add_root(routes, folder, root, err)
                    : remember_root(routes, folder, *root, err);
}

/* The root of the first size bytes of path; NULL if neither they nor a folder above are known. */
static enum mb_status find_root(struct pub_routes *routes, const char *path, size_t size,
                                struct root **root, struct mb_error *err)
{
    *root = mb_strmap_find(&routes->roots, path, size);
    if (*root != NULL || size <= mb_path_root_size(path)) {
        return MB_OK;
    }
    MB_TRY(find_root(routes, path, pub_parent_size(path, size), root, err));
    if (*root == NULL) {
        return MB_OK;
    }
    const char *folder = mb_arena_copy(&routes->commit->arena, path, size);
    return folder != NULL ? step_down(routes, folder, root, err) : mb_fail_memory(err);
}

enum mb_status pub_routes_find(struct pub_routes *routes, struct pub_move *move,
                               struct mb_error *err)
{
    size_t size = pub_parent_size(move->path, strlen(move->path));
    struct root *root;

    MB_TRY(find_root(routes, move->path, size, &root, err));
    if (root == NULL) {
        MB_TRY(pub_routes_prepare(routes, move->path, size, err));
        root = mb_strmap_find(&routes->roots, move->path, size);
    }
    MB_TRY(make_place(routes, root, err));
    move->place = root->place;
    move->name = name_in(root, move->path);
    return MB_OK;
}

/* --- the end --- */

void pub_routes_remove_made(const struct pub_routes *routes)
{
    for (const struct pub_made *made = routes->made; made != NULL; made = made->next) {
        (void)mb_folder_remove(NULL, made->folder);
    }
}

void pub_routes_finish(struct pub_routes *routes)
{
    mb_strmap_finish(&routes->roots);
}
