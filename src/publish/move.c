#include "publish/commit.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct pub_stamp pub_stamp(const struct stat *info)
{
    return (struct pub_stamp){(uint64_t)info->st_size,
                              info->st_mtim.tv_sec * MB_NS_PER_S + info->st_mtim.tv_nsec};
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
    enum mb_status status = mb_fail_errno(err, what);

    mb_error_in_input(err, move->path);
    return status;
}

/* --- doing --- */

static enum mb_status check_old(const struct pub_move *move, const struct stat *info,
                                struct mb_error *err)
{
    if (S_ISREG(info->st_mode) || S_ISLNK(info->st_mode)) {
        return MB_OK;
    }
    (void)mb_fail(err, MB_IO, MB_NO_OFFSET, "%s is in the way",
                  S_ISDIR(info->st_mode) ? "a folder" : "a device, pipe or socket");
    mb_error_in_input(err, move->path);
    return MB_IO;
}

/* By a second link, so that the output never disappears; by a rename on file systems without
 * links. */
static enum mb_status keep_old(const struct pub_move *move, struct mb_error *err)
{
    const struct pub_place *place = move->place;
    struct stat info;
    char old[PUB_STAGED_NAME];

    if (fstatat(place->folder, move->name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? MB_OK : fail_move(move, "cannot replace", err);
    }
    MB_TRY(check_old(move, &info, err));
    old_name(old, move->number);
    bool is_kept =
        move->kind == PUB_PUT && linkat(place->folder, move->name, place->staging, old, 0) == 0;
    if (!is_kept && renameat(place->folder, move->name, place->staging, old) != 0 &&
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
        return mkdirat(place->folder, move->name, 0777) == 0 || errno == EEXIST
                   ? MB_OK
                   : fail_move(move, "cannot make the folder", err);
    }
    MB_TRY(keep_old(move, err));
    pub_staged_name(staged, move->number);
    return move->kind == PUB_REMOVE ||
                   renameat(place->staging, staged, place->folder, move->name) == 0
               ? MB_OK
               : fail_move(move, "cannot put it in place", err);
}

/* --- undoing --- */

/* Whether the name is in the folder; not to know is a failure. Names that are too long, too, are in
 * no folder. */
static enum mb_status look_up(const struct pub_move *move, int folder, const char *name,
                              bool *is_there, struct mb_error *err)
{
    struct stat info;

    *is_there = fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    return *is_there || errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG
               ? MB_OK
               : fail_move(move, "cannot look at it", err);
}

/* Leave a file that someone else put there since. */
static bool is_ours(const struct pub_move *move)
{
    struct stat info;

    if (fstatat(move->place->folder, move->name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode)) {
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
    MB_TRY(look_up(move, place->staging, old, &is_kept, err));
    if (is_kept && renameat(place->staging, old, place->folder, move->name) != 0) {
        return fail_move(move, "cannot put back what was there", err);
    }
    if (!is_kept && is_put && unlinkat(place->folder, move->name, 0) != 0 && errno != ENOENT) {
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
        (void)unlinkat(place->folder, move->name, AT_REMOVEDIR); /* stays if in use */
        return MB_OK;
    }
    MB_TRY(look_up(move, place->folder, move->name, &is_there, err));
    if (is_there && move->kind == PUB_PUT) {
        pub_staged_name(staged, move->number);
        MB_TRY(look_up(move, place->staging, staged, &is_staged, err));
    }
    bool is_put = !is_staged && is_ours(move);
    return is_put || !is_there ? put_back(move, is_put, err) : MB_OK;
}
