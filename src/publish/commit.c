#include "publish/commit.h"

#include "base/interrupt.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define NAP_NS 2000000  /* short beside a commit */
#define MOST_NAPS 30000 /* a minute */

void pub_commit_add(struct pub_commit *commit, struct pub_move *move)
{
    move->previous = commit->last;
    *(commit->last != NULL ? &commit->last->next : &commit->first) = move;
    commit->last = move;
}

void pub_commit_drop(struct pub_commit *commit, struct pub_move *move)
{
    *(move->previous != NULL ? &move->previous->next : &commit->first) = move->next;
    *(move->next != NULL ? &move->next->previous : &commit->last) = move->previous;
}

void pub_commit_close(struct pub_commit *commit)
{
    for (struct pub_place *place = commit->places; place != NULL; place = place->next) {
        pub_staging_close(place);
    }
}

void pub_commit_finish(struct pub_commit *commit)
{
    pub_commit_close(commit);
    mb_arena_finish(&commit->arena);
}

/* --- locks --- */

void pub_commit_unlock(struct pub_commit *commit)
{
    for (struct pub_place *place = commit->places; place != NULL; place = place->next) {
        mb_folder_unlock(&place->folder);
    }
}

/* All or none, so that two runs do not wait for each other. The place that another run has locked.
 */
static const struct pub_place *try_lock(struct pub_commit *commit)
{
    for (struct pub_place *place = commit->places; place != NULL; place = place->next) {
        if (mb_folder_lock(&place->folder, MB_LOCK_ALONE) == MB_LOCK_TAKEN) {
            pub_commit_unlock(commit);
            return place;
        }
    }
    return NULL;
}

/* Waiting in the system would miss a signal that came just before. */
enum mb_status pub_commit_lock(struct pub_commit *commit, struct mb_error *err)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};

    for (int naps = 0;; naps++) {
        MB_TRY(mb_check_interrupt(err));
        const struct pub_place *taken = try_lock(commit);
        if (taken == NULL) {
            return MB_OK;
        }
        if (naps == MOST_NAPS) {
            return mb_fail_in(err, MB_IO, taken->path, "another process keeps the folder locked");
        }
        (void)nanosleep(&nap, NULL);
    }
}

/* --- there and back --- */

enum mb_status pub_commit_do(struct pub_commit *commit, struct mb_error *err)
{
    for (struct pub_place *place = commit->places; place != NULL; place = place->next) {
        MB_TRY(pub_journal_open(commit, place, err));
    }
    for (struct pub_move *move = commit->first; move != NULL; move = move->next) {
        commit->done = move; /* a failed move may be half done */
        MB_TRY(pub_move_do(move, err));
    }
    return commit->places != NULL ? pub_journal_turn(commit->places, PUB_DONE, err) : MB_OK;
}

enum mb_status pub_commit_undo(struct pub_commit *commit, struct mb_error *err)
{
    for (; commit->done != NULL; commit->done = commit->done->previous) {
        if (commit->done->place->state == PUB_OPEN) {
            MB_TRY(pub_move_undo(commit->done, err));
        }
    }
    bool is_open = commit->places != NULL && commit->places->state == PUB_OPEN;
    bool is_told = is_open && pub_journal_turn(commit->places, PUB_DONE, NULL) == MB_OK;
    (void)is_told; /* only matters to a run that finds files which could not be deleted */
    return MB_OK;
}

void pub_commit_remove(struct pub_commit *commit)
{
    struct pub_place *first = commit->places;
    bool are_gone = true;

    for (struct pub_place *place = first; place != NULL; place = place->next) {
        are_gone &= place == first || pub_staging_remove(place);
    }
    if (first != NULL && are_gone) {
        (void)pub_staging_remove(first);
    }
}

/* ---- What a killed run left ---- */

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
