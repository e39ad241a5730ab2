#include "publish/commit.h"

#include "base/interrupt.h"

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
