#include "publish/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct pub_file_stamp pub_file_stamp(const struct stat *info)
{
    return (struct pub_file_stamp){(uint64_t)info->st_size, (int64_t)info->st_mtim.tv_sec,
                                   (int64_t)info->st_mtim.tv_nsec};
}

void pub_staged_name(char name[PUB_STAGED_NAME], unsigned number)
{
    (void)snprintf(name, PUB_STAGED_NAME, "%u", number);
}

static void old_name(char name[PUB_STAGED_NAME], unsigned number)
{
    (void)snprintf(name, PUB_STAGED_NAME, "%u.old", number);
}

static enum mb_status fail(const struct pub_move *move, const char *what, struct mb_error *err)
{
    enum mb_status status = mb_fail_errno(err, what);

    mb_error_in_input(err, move->path != NULL ? move->path : move->name);
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

/* By a second link, so that the place is never empty; by a rename where the file system has no
 * links. */
static enum mb_status keep_old(const struct pub_move *move, int folder, int staging,
                               struct mb_error *err)
{
    struct stat info;
    char old[PUB_STAGED_NAME];

    if (fstatat(folder, move->name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? MB_OK : fail(move, "cannot replace", err);
    }
    MB_TRY(check_old(move, &info, err));
    old_name(old, move->number);
    bool is_kept = move->kind == PUB_MOVE_PUT && linkat(folder, move->name, staging, old, 0) == 0;
    if (!is_kept && renameat(folder, move->name, staging, old) != 0 && errno != ENOENT) {
        return fail(move, move->kind == PUB_MOVE_PUT ? "cannot replace" : "cannot remove", err);
    }
    return MB_OK;
}

static enum mb_status put(const struct pub_move *move, int folder, int staging,
                          struct mb_error *err)
{
    char staged[PUB_STAGED_NAME];

    MB_TRY(keep_old(move, folder, staging, err));
    pub_staged_name(staged, move->number);
    if (renameat(staging, staged, folder, move->name) != 0) {
        return fail(move, "cannot put it in place", err);
    }
    return MB_OK;
}

enum mb_status pub_move_do(const struct pub_move *move, int folder, int staging,
                           struct mb_error *err)
{
    switch (move->kind) {
    case PUB_MOVE_FOLDER:
        if (mkdirat(folder, move->name, 0777) != 0 && errno != EEXIST) {
            return fail(move, "cannot make the folder", err);
        }
        break;
    case PUB_MOVE_PUT:
        return put(move, folder, staging, err);
    case PUB_MOVE_REMOVE:
        return keep_old(move, folder, staging, err);
    }
    return MB_OK;
}

/* --- undoing --- */

/* Names that are too long, too, are in no folder. */
static bool tells_absence(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG;
}

/* Whether the name is in the folder; not to know is a failure. */
static enum mb_status look(const struct pub_move *move, int folder, const char *name,
                           bool *is_there, struct mb_error *err)
{
    *is_there = faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    return *is_there || tells_absence(errno) ? MB_OK : fail(move, "cannot look at it", err);
}

/* What was kept, if anything was: between two mounts, a rename fails with nothing to rename too. */
static enum mb_status put_back(const struct pub_move *move, int folder, int staging, bool *is_kept,
                               struct mb_error *err)
{
    char old[PUB_STAGED_NAME];

    old_name(old, move->number);
    MB_TRY(look(move, staging, old, is_kept, err));
    if (*is_kept && renameat(staging, old, folder, move->name) != 0) {
        return fail(move, "cannot put back what was there", err);
    }
    return MB_OK;
}

/* Not what somebody else put there since. */
static bool is_ours(const struct pub_move *move, int folder)
{
    struct stat info;

    if (fstatat(folder, move->name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) {
        return false;
    }
    struct pub_file_stamp now = pub_file_stamp(&info);
    return memcmp(&now, &move->stamp, sizeof(now)) == 0;
}

/* The new file is in its place: the old one replaces it, or nothing if there was none. */
static enum mb_status take_back(const struct pub_move *move, int folder, int staging,
                                struct mb_error *err)
{
    bool is_kept;

    MB_TRY(put_back(move, folder, staging, &is_kept, err));
    if (!is_kept && unlinkat(folder, move->name, 0) != 0 && errno != ENOENT) {
        return fail(move, "cannot take it back", err);
    }
    return MB_OK;
}

static enum mb_status undo_put(const struct pub_move *move, int folder, int staging,
                               struct mb_error *err)
{
    char staged[PUB_STAGED_NAME];
    bool is_there;
    bool is_staged;
    bool is_kept;

    pub_staged_name(staged, move->number);
    MB_TRY(look(move, folder, move->name, &is_there, err));
    MB_TRY(look(move, staging, staged, &is_staged, err));
    if (!is_there) {
        return put_back(move, folder, staging, &is_kept, err);
    }
    return !is_staged && is_ours(move, folder) ? take_back(move, folder, staging, err) : MB_OK;
}

static enum mb_status undo_remove(const struct pub_move *move, int folder, int staging,
                                  struct mb_error *err)
{
    bool is_there;
    bool is_kept;

    MB_TRY(look(move, folder, move->name, &is_there, err));
    return is_there ? MB_OK : put_back(move, folder, staging, &is_kept, err);
}

enum mb_status pub_move_undo(const struct pub_move *move, int folder, int staging,
                             struct mb_error *err)
{
    switch (move->kind) {
    case PUB_MOVE_FOLDER:
        (void)unlinkat(folder, move->name, AT_REMOVEDIR); /* stays if somebody uses it */
        break;
    case PUB_MOVE_PUT:
        return undo_put(move, folder, staging, err);
    case PUB_MOVE_REMOVE:
        return undo_remove(move, folder, staging, err);
    }
    return MB_OK;
}
