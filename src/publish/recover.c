#include "publish/commit.h"

#include <errno.h>
#include <string.h>

/* Where it is now: the folder that it was found in may have had another name for the run. */
static enum mb_status add_member(struct pub_commit *commit, const char *path, const char *found,
                                 struct mb_error *err)
{
    const char *here = strcmp(strrchr(path, '/'), strrchr(found, '/')) == 0 ? found : path;
    const char *name = strrchr(here, '/') + 1;
    size_t size = (size_t)(name - here);
    const char *folder = mb_arena_copy(&commit->arena, here, size);

    return folder != NULL ? pub_staging_open_dead(commit, folder, name, err) : mb_fail_memory(err);
}

/* The folder is read again under the lock: only entries that are still there count. */
static enum mb_status recover_commit(struct pub_commit *commit, const union mb_words *paths,
                                     const char *found, struct mb_error *err)
{
    for (size_t i = MB_VEC_COUNT(paths); i-- > 0;) {
        MB_TRY(add_member(commit, paths->items[i], found, err));
    }
    MB_TRY(pub_commit_lock(commit, err));
    for (struct pub_place *place = commit->places; place != NULL; place = place->next) {
        MB_TRY(pub_journal_read(commit, place, NULL, err));
    }
    if (commit->places != NULL && commit->places->state != PUB_DONE) {
        commit->done = commit->last;
        MB_TRY(pub_commit_undo(commit, err));
    }
    pub_commit_remove(commit);
    return MB_OK;
}

static enum mb_status recover_found(struct pub_commit *found, struct mb_error *err)
{
    struct pub_commit commit = {0};
    union mb_words paths = {0};
    struct pub_place *place = found->places;
    enum mb_status status = pub_journal_read(found, place, &paths, err);

    if (status == MB_OK && place->state >= PUB_OPEN) {
        status = recover_commit(&commit, &paths, place->path, err);
    } else if (status == MB_OK) {
        pub_commit_remove(found);
    }
    if (status != MB_OK) {
        mb_error_in_input(err, place->path);
    }
    pub_commit_finish(&commit);
    mb_buf_finish(&paths.buf);
    return status;
}

static enum mb_status recover_name(const char *folder, const char *name, struct mb_error *err)
{
    struct pub_commit found = {0};
    enum mb_status status = pub_staging_open_dead(&found, folder, name, err);

    if (status == MB_OK && found.places != NULL) {
        status = recover_found(&found, err);
    }
    pub_commit_finish(&found);
    return status;
}

enum mb_status pub_recover(const char *folder, struct mb_error *err)
{
    struct mb_listing *listing = mb_listing_begin(NULL, folder);
    struct mb_entry child;
    enum mb_status status = MB_OK;

    if (listing == NULL) {
        return errno == ENOENT || errno == ENOTDIR
                   ? MB_OK
                   : mb_fail_file(err, folder, "cannot list the folder");
    }
    while (status == MB_OK && mb_listing_next(listing, &child)) {
        status = recover_name(folder, child.name, err);
    }
    if (status == MB_OK && errno != 0) {
        status = mb_fail_file(err, folder, "cannot list the folder");
    }
    mb_listing_end(listing);
    return status;
}
