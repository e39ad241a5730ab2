#include "publish/recover.h"

#include "publish/journal.h"
#include "publish/lock.h"
#include "publish/staging.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One staging folder of a commit that a dead run had begun. */
struct member {
    struct pub_staging staging; /* without a path: out of reach, or tidied up by another run */
    struct pub_journal journal;
    enum pub_journal_state state;
};

struct commit {
    struct member *members; /* the first decides for all */
    struct pub_lock *locks;
    size_t count;
    size_t lock_count;
};

/* Where it is now: the folder that it was found in may have had another name for the run. */
static bool open_member(struct member *member, const char *path, const struct pub_staging *found)
{
    const char *source = path;

    if (strcmp(strrchr(path, '/'), strrchr(found->path, '/')) == 0) {
        source = found->path;
    }
    const char *slash = strrchr(source, '/');
    char *folder = strndup(source, (size_t)(slash - source) + (slash == source));
    if (folder == NULL) {
        return false;
    }
    bool is_there = pub_staging_is_name(slash + 1) &&
                    pub_staging_open_dead(&member->staging, folder, slash + 1);
    free(folder);
    return is_there;
}

static enum mb_status open_members(struct commit *commit, const struct pub_journal *journal,
                                   const struct pub_staging *found, struct mb_error *err)
{
    const char *const *paths = (const char *const *)(const void *)journal->stagings.bytes;

    commit->count = journal->stagings.size / sizeof(*paths);
    commit->members = calloc(commit->count, sizeof(*commit->members));
    commit->locks = calloc(commit->count, sizeof(*commit->locks));
    if (commit->members == NULL || commit->locks == NULL) {
        commit->count = 0;
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < commit->count; i++) {
        if (open_member(&commit->members[i], paths[i], found)) {
            const struct pub_staging *staging = &commit->members[i].staging;
            commit->locks[commit->lock_count++] =
                (struct pub_lock){staging->folder, -1, staging->path};
        }
    }
    return pub_lock_all(commit->locks, commit->lock_count, err);
}

static void close_members(struct commit *commit)
{
    for (size_t i = 0; i < commit->count; i++) {
        pub_staging_close(&commit->members[i].staging);
        pub_journal_finish(&commit->members[i].journal);
    }
    free(commit->members);
    free(commit->locks);
}

/* Now that nobody else can: what is still there? */
static enum mb_status read_members(struct commit *commit, struct mb_error *err)
{
    for (size_t i = 0; i < commit->count; i++) {
        struct member *member = &commit->members[i];
        if (member->staging.path == NULL) {
            continue;
        }
        MB_TRY(pub_journal_read(&member->journal, member->staging.fd, &member->state, err));
    }
    return MB_OK;
}

static enum mb_status undo_moves(const struct member *member, struct mb_error *err)
{
    const struct mb_buf *moves = &member->journal.moves;

    for (size_t end = moves->size; end > 0; end -= sizeof(struct pub_move)) {
        struct pub_move move;
        memcpy(&move, moves->bytes + end - sizeof(move), sizeof(move));
        MB_TRY(pub_move_undo(&move, member->staging.folder, member->staging.fd, err));
    }
    return pub_journal_clear(member->staging.fd, err);
}

/* The first member decides what becomes of the others, so it outlives them. */
static enum mb_status undo_members(const struct commit *commit, struct mb_error *err)
{
    bool is_done = commit->members[0].state == PUB_JOURNAL_DONE;
    bool are_gone = true;

    for (size_t i = commit->count; i-- > 0;) {
        const struct member *member = &commit->members[i];
        if (member->staging.path == NULL || member->state == PUB_JOURNAL_FOREIGN) {
            continue;
        }
        if (!is_done && member->state == PUB_JOURNAL_OPEN) {
            MB_TRY(undo_moves(member, err));
        }
        are_gone = are_gone && pub_staging_remove(&member->staging);
    }
    return MB_OK;
}

static enum mb_status recover_commit(const struct pub_staging *found,
                                     const struct pub_journal *journal, struct mb_error *err)
{
    struct commit commit = {0};
    enum mb_status status = open_members(&commit, journal, found, err);

    if (status == MB_OK) {
        status = read_members(&commit, err);
        status = status == MB_OK ? undo_members(&commit, err) : status;
        pub_unlock_all(commit.locks, commit.lock_count);
    }
    close_members(&commit);
    return status;
}

static enum mb_status recover_staging(struct pub_staging *found, struct mb_error *err)
{
    struct pub_journal journal = {0};
    enum pub_journal_state state;
    enum mb_status status = pub_journal_read(&journal, found->fd, &state, err);

    if (status == MB_OK && state == PUB_JOURNAL_IDLE) {
        (void)pub_staging_remove(found);
    } else if (status == MB_OK && state == PUB_JOURNAL_FOREIGN) {
        (void)rmdir(found->path); /* of a run killed before it wrote a journal: empty */
    } else if (status == MB_OK) {
        status = recover_commit(found, &journal, err);
    }
    pub_journal_finish(&journal);
    return status;
}

static enum mb_status recover_name(const char *folder, const char *name, struct mb_error *err)
{
    struct pub_staging found;

    if (!pub_staging_is_name(name) || !pub_staging_open_dead(&found, folder, name)) {
        return MB_OK;
    }
    enum mb_status status = recover_staging(&found, err);
    if (status != MB_OK) {
        mb_error_in_input(err, found.path);
    }
    pub_staging_close(&found);
    return status;
}

enum mb_status pub_recover(const char *folder, struct mb_error *err)
{
    DIR *stream = opendir(folder);
    const struct dirent *child;
    enum mb_status status = MB_OK;

    while (stream != NULL && status == MB_OK && (child = readdir(stream)) != NULL) {
        if (strcmp(child->d_name, PUB_LOCK_NAME) == 0) {
            pub_lock_tidy(dirfd(stream));
        } else {
            status = recover_name(folder, child->d_name, err);
        }
    }
    if (stream != NULL) {
        (void)closedir(stream);
    }
    return status;
}
