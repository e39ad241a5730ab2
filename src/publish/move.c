#include "publish/commit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct pub_stamp pub_stamp(const struct mb_file_info *info)
{
    return (struct pub_stamp){info->size, info->changed_ns};
}

void pub_staged_name(char name[PUB_STAGED_NAME], unsigned number)
{
    (void)snprintf(name, PUB_STAGED_NAME, "%u", number);
}

static void old_name(char name[PUB_STAGED_NAME], unsigned number)
{
    (void)snprintf(name, PUB_STAGED_NAME, "%u.old", number);
}

static enum mb_status fail_move(const struct pub_move *move, const char *what, struct mb_error *err)
{
    return mb_fail_file(err, move->path, what);
}

/* --- doing --- */

static enum mb_status check_old(const struct pub_move *move, const struct mb_file_info *info,
                                struct mb_error *err)
{
    if (info->type == MB_FILE_REGULAR || info->type == MB_FILE_LINK) {
        return MB_OK;
    }
    (void)mb_fail(err, MB_IO, MB_NO_OFFSET, "%s is in the way",
                  info->type == MB_FILE_FOLDER ? "a folder" : "a device, pipe or socket");
    mb_error_in_input(err, move->path);
    return MB_IO;
}

/* By a second link, so that the output never disappears; by a rename on file systems without
 * links. */
static enum mb_status keep_old(const struct pub_move *move, struct mb_error *err)
{
    const struct pub_place *place = move->place;
    struct mb_file_info info;
    char old[PUB_STAGED_NAME];

    if (!mb_file_look_at_link(&place->folder, move->name, &info)) {
        return errno == ENOENT ? MB_OK : fail_move(move, "cannot replace", err);
    }
    MB_TRY(check_old(move, &info, err));
    old_name(old, move->number);
    bool is_kept =
        move->kind == PUB_PUT && mb_file_link(&place->folder, move->name, &place->staging, old);
    if (!is_kept && !mb_file_rename(&place->folder, move->name, &place->staging, old) &&
        errno != ENOENT) {
        return fail_move(move, move->kind == PUB_PUT ? "cannot replace" : "cannot remove", err);
    }
    return MB_OK;
}

enum mb_status pub_move_do(const struct pub_move *move, struct mb_error *err)
{
    const struct pub_place *place = move->place;
    char staged[PUB_STAGED_NAME];

    if (move->kind == PUB_FOLDER) {
        return mb_folder_make(&place->folder, move->name) || errno == EEXIST
                   ? MB_OK
                   : fail_move(move, "cannot make the folder", err);
    }
    MB_TRY(keep_old(move, err));
    pub_staged_name(staged, move->number);
    return move->kind == PUB_REMOVE ||
                   mb_file_rename(&place->staging, staged, &place->folder, move->name)
               ? MB_OK
               : fail_move(move, "cannot put it in place", err);
}

/* --- undoing --- */

/* Whether the name is in the folder; not to know is a failure. Names that are too long, too, are in
 * no folder. */
static enum mb_status look_up(const struct pub_move *move, const struct mb_folder *folder,
                              const char *name, bool *is_there, struct mb_error *err)
{
    struct mb_file_info info;

    *is_there = mb_file_look_at_link(folder, name, &info);
    return *is_there || errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG
               ? MB_OK
               : fail_move(move, "cannot look at it", err);
}

/* Leave a file that another program put there since. */
static bool is_ours(const struct pub_move *move)
{
    struct mb_file_info info;

    if (!mb_file_look_at_link(&move->place->folder, move->name, &info) ||
        info.type != MB_FILE_REGULAR) {
        return false;
    }
    struct pub_stamp now = pub_stamp(&info);
    return memcmp(&now, &move->stamp, sizeof(now)) == 0;
}

/* Restore the old file, if there was one; if not, remove the new one. A rename without looking
 * would not do: between two mounts it also fails if there is nothing to rename. */
static enum mb_status put_back(const struct pub_move *move, bool is_put, struct mb_error *err)
{
    const struct pub_place *place = move->place;
    char old[PUB_STAGED_NAME];
    bool is_kept;

    old_name(old, move->number);
    MB_TRY(look_up(move, &place->staging, old, &is_kept, err));
    if (is_kept && !mb_file_rename(&place->staging, old, &place->folder, move->name)) {
        return fail_move(move, "cannot put back what was there", err);
    }
    if (!is_kept && is_put && !mb_file_remove(&place->folder, move->name) && errno != ENOENT) {
        return fail_move(move, "cannot take it back", err);
    }
    return MB_OK;
}

enum mb_status pub_move_undo(const struct pub_move *move, struct mb_error *err)
{
    const struct pub_place *place = move->place;
    char staged[PUB_STAGED_NAME];
    bool is_there;
    bool is_staged = true;

    if (move->kind == PUB_FOLDER) {
        (void)mb_folder_remove(&place->folder, move->name); /* stays if in use */
        return MB_OK;
    }
    MB_TRY(look_up(move, &place->folder, move->name, &is_there, err));
    if (is_there && move->kind == PUB_PUT) {
        pub_staged_name(staged, move->number);
        MB_TRY(look_up(move, &place->staging, staged, &is_staged, err));
    }
    bool is_put = !is_staged && is_ours(move);
    return is_put || !is_there ? put_back(move, is_put, err) : MB_OK;
}
