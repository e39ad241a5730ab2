/* The steps of a commit, recorded so that they can be undone: by the run itself if a step fails or,
 * if it was killed, by the next run. */

#ifndef PUBLISH_COMMIT_H
#define PUBLISH_COMMIT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/platform_folder.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* State of the journal in a staging folder, by the journal's name. */
enum pub_state {
    PUB_FOREIGN, /* not a journal of methodbeat */
    PUB_IDLE,    /* no step was done */
    PUB_OPEN,    /* steps may have been done, or done and taken back */
    PUB_DONE,    /* all were done, or taken back */
};

/* A folder of outputs, and its staging folder .methodbeat-XXXXXX, which holds new outputs, replaced
 * files and the journal. A lock on the staging folder, which ends with the process, shows that its
 * run lives; one on the folder of outputs, that a run commits. */
struct pub_place {
    struct pub_place *next;
    char *path;              /* of the staging folder */
    struct mb_folder folder; /* of the outputs */
    struct mb_folder staging;
    enum pub_state state;
    bool ignores_case; /* as folders of macOS and Windows do: a.class and A.class are one file */
};

enum pub_kind {
    PUB_FOLDER = 'F', /* make a folder */
    PUB_PUT = 'P',    /* rename a staged file to its place; a replaced file is kept */
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
    unsigned number;        /* names the staged file; NUMBER.old is the file that it replaces */
    struct pub_stamp stamp; /* of the staged file */
    struct pub_place *place;
    const char *name; /* relative to the folder of outputs */
    const char *path; /* as the caller spelt it, for messages */
};

/* Zeroed memory is an empty commit. */
struct pub_commit {
    struct mb_arena arena;    /* has all that follows */
    struct pub_place *places; /* the first place has the state of all, so it outlives the others */
    struct pub_move *first;
    struct pub_move *last;
    struct pub_move *done; /* the last move that was begun, or NULL */
};

/* --- a commit --- */

/* The move is of the arena. */
void pub_commit_add(struct pub_commit *commit, struct pub_move *move);

/* Before any was done. */
void pub_commit_drop(struct pub_commit *commit, struct pub_move *move);

/* Lock the folders: one run at a time commits into a folder. Waits for other runs, except on file
 * systems without locks. MB_INTERRUPTED if a signal comes meanwhile. */
MB_MUST_CHECK enum mb_status pub_commit_lock(struct pub_commit *commit, struct mb_error *err);
void pub_commit_unlock(struct pub_commit *commit);

/* Write the journals and do all moves. After a failure some are done. */
MB_MUST_CHECK enum mb_status pub_commit_do(struct pub_commit *commit, struct mb_error *err);

/* Undo the moves of open journals. Safe to continue after a failure, and to repeat. */
MB_MUST_CHECK enum mb_status pub_commit_undo(struct pub_commit *commit, struct mb_error *err);

/* Remove the staging folders, by system calls alone: for handlers of signals, and where memory is
 * short. */
void pub_commit_remove(struct pub_commit *commit);

/* Close the folders, and leave them. */
void pub_commit_close(struct pub_commit *commit);
void pub_commit_finish(struct pub_commit *commit);

/* Undo the commits that dead runs had begun in folder, in all existing folders that they went to,
 * and remove their staging folders. Leaves runs that are alive alone. Fails, naming the staging
 * folder, if a replaced file cannot be put back. */
MB_MUST_CHECK enum mb_status pub_recover(const char *folder, struct mb_error *err);

/* --- moves --- */

struct pub_stamp pub_stamp(const struct mb_file_info *info);

/* Room for NUMBER.old. */
#define PUB_STAGED_NAME 16
void pub_staged_name(char name[PUB_STAGED_NAME], unsigned number);

/* A failure names the path. */
MB_MUST_CHECK enum mb_status pub_move_do(const struct pub_move *move, struct mb_error *err);

/* Undo a move, done fully, partly or not at all. A file put there by another program stays. */
MB_MUST_CHECK enum mb_status pub_move_undo(const struct pub_move *move, struct mb_error *err);

/* --- staging folders --- */

/* Create a staging folder with an idle journal as the first place. folder is absolute, exists, and
 * is borrowed by the commit. On failure nothing is left, and the error does not name a path. */
MB_MUST_CHECK enum mb_status pub_staging_create(struct pub_commit *commit, const char *folder,
                                                struct mb_error *err);

/* If name in folder is the staging folder of a dead run, make it the first place: a folder of the
 * same user that is not locked, on a file system with locks. While it is open no other run takes it
 * over. folder is borrowed by the commit. */
MB_MUST_CHECK enum mb_status pub_staging_open_dead(struct pub_commit *commit, const char *folder,
                                                   const char *name, struct mb_error *err);

/* Remove the contents that runs put into the staging folder and, if it is empty then, the folder.
 * False if the journal had to stay. */
bool pub_staging_remove(struct pub_place *place);

void pub_staging_close(struct pub_place *place);

/* --- journals --- */

/* Write an idle journal, which marks the folder as ours. */
MB_MUST_CHECK enum mb_status pub_journal_create(struct pub_place *place, struct mb_error *err);

/* Write the places and moves of this commit; from here on the journal is open. */
MB_MUST_CHECK enum mb_status pub_journal_open(const struct pub_commit *commit,
                                              struct pub_place *place, struct mb_error *err);

/* The journal is now open, or done. */
MB_MUST_CHECK enum mb_status pub_journal_turn(struct pub_place *place, enum pub_state state,
                                              struct mb_error *err);

/* Read the state, and the moves if the journal was open; with paths, those of the staging folders
 * of its commit are appended (const char *). A journal whose names lead out of the folder is
 * foreign. */
MB_MUST_CHECK enum mb_status pub_journal_read(struct pub_commit *commit, struct pub_place *place,
                                              union mb_words *paths, struct mb_error *err);

bool pub_journal_remove(const struct pub_place *place);

#endif
