/* What a commit does in one folder of outputs, step by step, so that it can be taken back: by the
 * run itself if a step fails or, if it was killed, by the next run. */

#ifndef PUBLISH_JOURNAL_H
#define PUBLISH_JOURNAL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

#include <stdint.h>
#include <sys/stat.h>

enum pub_move_kind {
    PUB_MOVE_FOLDER = 'F', /* make a folder */
    PUB_MOVE_PUT = 'P',    /* rename a staged file to its place; what was there is kept */
    PUB_MOVE_REMOVE = 'R', /* take a file away, and keep it */
};

/* A file as it was left: unlike the inode these stay the same on every file system. */
struct pub_file_stamp {
    uint64_t size;
    int64_t seconds;
    int64_t nanoseconds;
};

struct pub_move {
    enum pub_move_kind kind;
    unsigned number;             /* names the staged file; NUMBER.old is what it replaces */
    struct pub_file_stamp stamp; /* of the staged file */
    const char *name;            /* relative to the folder of outputs */
    const char *path;            /* as the caller spelt it, for messages; NULL if read back */
};

struct pub_file_stamp pub_file_stamp(const struct stat *info);

/* Room for NUMBER.old. */
#define PUB_STAGED_NAME 16
void pub_staged_name(char name[PUB_STAGED_NAME], unsigned number);

/* One step, between the open folders of outputs and of staged files. A failure names the path. */
MB_MUST_CHECK enum mb_status pub_move_do(const struct pub_move *move, int folder, int staging,
                                         struct mb_error *err);

/* The reverse, whether or how far the step was done. What somebody else put there since stays. */
MB_MUST_CHECK enum mb_status pub_move_undo(const struct pub_move *move, int folder, int staging,
                                           struct mb_error *err);

/* The journal of one staging folder. All that it points to belongs to an arena or to text. */
struct pub_journal {
    /* const char *: absolute paths of the staging folders of the commit; the state of the first is
     * that of all */
    struct mb_buf stagings;
    struct mb_buf moves; /* struct pub_move */
    struct mb_buf text;  /* as read */
};

enum pub_journal_state {
    PUB_JOURNAL_FOREIGN, /* the folder holds no journal of ours */
    PUB_JOURNAL_IDLE,    /* no step was done, or all were taken back */
    PUB_JOURNAL_OPEN,    /* steps may have been done */
    PUB_JOURNAL_DONE,    /* all were done */
};

#define PUB_JOURNAL_NAME "journal"
#define PUB_JOURNAL_DONE_NAME "done"

/* Write an idle journal, which marks the folder as ours; or make it idle again. */
MB_MUST_CHECK enum mb_status pub_journal_clear(int staging, struct mb_error *err);

/* From here on the journal is open. */
MB_MUST_CHECK enum mb_status pub_journal_write(int staging, const struct pub_journal *journal,
                                               struct mb_error *err);

/* Open becomes done, in one rename. */
MB_MUST_CHECK enum mb_status pub_journal_close(int staging, struct mb_error *err);

/* Read it from zeroed memory; finish also after a failure. A journal that was cut off is idle: the
 * first step comes after its last byte. One whose names lead out of the folder is foreign. */
MB_MUST_CHECK enum mb_status pub_journal_read(struct pub_journal *journal, int staging,
                                              enum pub_journal_state *state, struct mb_error *err);
void pub_journal_finish(struct pub_journal *journal);

#endif
