/* What a commit does, step by step, so that it can be taken back: by the run itself if a step fails
 * or, if it was killed, by the next run. */

#ifndef PUBLISH_COMMIT_H
#define PUBLISH_COMMIT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* What the journal in a staging folder says by its name. */
enum pub_state {
    PUB_FOREIGN, /* there is no journal of ours */
    PUB_IDLE,    /* no step was done */
    PUB_OPEN,    /* steps may have been done, or done and taken back */
    PUB_DONE,    /* all were done */
};

/* A folder of outputs, and the staging folder .methodbeat-XXXXXX in it, which holds what is not in
 * place yet, what it replaced, and the journal. A lock on the staging folder, which ends with the
 * process, tells that its run lives; one on the folder of outputs, that a run commits. */
struct pub_place {
    struct pub_place *next;
    char *path;  /* of the staging folder */
    int folder;  /* of the outputs, open; -1: closed */
    int staging; /* the same */
    enum pub_state state;
};

enum pub_kind {
    PUB_FOLDER = 'F', /* make a folder */
    PUB_PUT = 'P',    /* rename a staged file to its place; what was there is kept */
    PUB_REMOVE = 'R', /* take a file away, and keep it */
    PUB_STAGING = 'S' /* in journals only: here is a staging folder of the commit */
};

/* A file as it was left: unlike the inode these stay the same on every file system. */
struct pub_stamp {
    uint64_t size;
    int64_t changed_ns;
};

struct pub_move {
    struct pub_move *next;
    struct pub_move *previous;
    enum pub_kind kind;
    unsigned number;        /* names the staged file; NUMBER.old is what it replaces */
    struct pub_stamp stamp; /* of the staged file */
    struct pub_place *place;
    const char *name; /* relative to the folder of outputs */
    const char *path; /* as the caller spelt it, for messages */
};

/* Zeroed memory is an empty one. */
struct pub_commit {
    struct mb_arena arena;    /* has all that follows */
    struct pub_place *places; /* the state of the first is that of all, so it outlives the others */
    struct pub_move *first;
    struct pub_move *last;
    struct pub_move *done; /* the last move that was begun, or NULL */
};

/* --- a commit --- */

/* The move is of the arena. */
void pub_commit_add(struct pub_commit *commit, struct pub_move *move);

/* One run at a time commits into a folder: wait until others have done so, but where the file
 * system has no locks. MB_INTERRUPTED if a signal comes meanwhile. */
MB_MUST_CHECK enum mb_status pub_commit_lock(const struct pub_commit *commit, struct mb_error *err);
void pub_commit_unlock(const struct pub_commit *commit);

/* Write the journals and do all moves. After a failure some are done. */
MB_MUST_CHECK enum mb_status pub_commit_do(struct pub_commit *commit, struct mb_error *err);

/* Take back those of open journals. To go on after a failure, or to do it twice, does no harm. */
MB_MUST_CHECK enum mb_status pub_commit_undo(struct pub_commit *commit, struct mb_error *err);

/* Remove the staging folders, by system calls alone: for handlers of signals, and where memory is
 * short. */
void pub_commit_remove(const struct pub_commit *commit);

/* Closes staging folders, and leaves them. */
void pub_commit_finish(struct pub_commit *commit);

/* Take back what dead runs had begun to commit in folder, in all folders that they went to and that
 * are there, and remove their staging folders. Runs that live are let alone. Fails, naming the
 * staging folder, where what was there before cannot be put back. */
MB_MUST_CHECK enum mb_status pub_recover(const char *folder, struct mb_error *err);

/* --- moves --- */

struct pub_stamp pub_stamp(const struct stat *info);

/* Room for NUMBER.old. */
#define PUB_STAGED_NAME 16
void pub_staged_name(char name[PUB_STAGED_NAME], unsigned number);

/* A failure names the path. */
MB_MUST_CHECK enum mb_status pub_move_do(const struct pub_move *move, struct mb_error *err);

/* The reverse, whether or how far the move was done. What somebody else put there since stays. */
MB_MUST_CHECK enum mb_status pub_move_undo(const struct pub_move *move, struct mb_error *err);

/* --- staging folders --- */

/* A new one, with an idle journal, becomes the first place. folder is absolute and exists. Fails
 * without leaving anything, and without naming a path. */
MB_MUST_CHECK enum mb_status pub_staging_create(struct pub_commit *commit, const char *folder,
                                                struct mb_error *err);

/* If name in folder is the staging folder of a dead run, it becomes the first place: a folder of
 * this user's that nobody has locked, on a file system with locks. While it is open nobody takes it
 * for new. */
MB_MUST_CHECK enum mb_status pub_staging_open_dead(struct pub_commit *commit, const char *folder,
                                                   const char *name, struct mb_error *err);

/* Remove what runs put into it and, if that was all, itself. False if the journal had to stay. */
bool pub_staging_remove(const struct pub_place *place);

void pub_staging_close(struct pub_place *place);

/* --- journals --- */

/* An idle one, which marks the folder as ours. */
MB_MUST_CHECK enum mb_status pub_journal_create(struct pub_place *place, struct mb_error *err);

/* Write down the places and the moves of this one; from here on the journal is open. */
MB_MUST_CHECK enum mb_status pub_journal_open(const struct pub_commit *commit,
                                              struct pub_place *place, struct mb_error *err);

/* The journal is now open, or done. */
MB_MUST_CHECK enum mb_status pub_journal_turn(struct pub_place *place, enum pub_state state,
                                              struct mb_error *err);

/* The state, and the moves of a journal that was open; with paths, those of the staging folders
 * of its commit are appended (const char *). A journal whose names lead out of the folder is
 * foreign. */
MB_MUST_CHECK enum mb_status pub_journal_read(struct pub_commit *commit, struct pub_place *place,
                                              struct mb_buf *paths, struct mb_error *err);

bool pub_journal_remove(const struct pub_place *place);

#endif
