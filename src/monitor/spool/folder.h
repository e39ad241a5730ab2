/* The folder of a process in the spool, and the lock of its owner.
 *
 *   SPOOL/com.x/lock            locked by its owner; a second process of the same name gets com.x-2
 * ... SPOOL/com.x/.5f1c-17        the note of an open issue (note.h)
 *   SPOOL/com.x/20261121/142233.517-ANR-9f3a6c01-5f1c-17.json
 *
 * Files are written as .note or .new, then renamed. Folders have mode 0700, files 0600; symbolic
 * links are not followed. */

#ifndef MONITOR_SPOOL_FOLDER_H
#define MONITOR_SPOOL_FOLDER_H

#include "base/error.h"
#include "base/file.h"
#include "monitor/spool/incident.h"

#include <stdbool.h>
#include <stdint.h>

#define SPOOL_OWNER_COUNT 16u /* concurrent processes of one name */
#define SPOOL_PATH_SIZE 1024u

struct spool_folder {
    int fd; /* -1: not open */
    struct mb_file_id id;
    int lock;
    struct mb_file_id lock_id;
    uint32_t owner; /* 1: com.x, 2: com.x-2 ... */
    char path[SPOOL_PATH_SIZE];
};

/* Use this, not zeroes, for a closed folder. */
#define SPOOL_FOLDER_CLOSED ((struct spool_folder){.fd = -1, .lock = -1})

/* Make and lock the folder of the owner-th process of that name. MB_IO with the reason; *is_taken
 * if another process owns it. */
MB_MUST_CHECK enum mb_status spool_folder_open(struct spool_folder *folder, const char *spool,
                                               const char *process, uint32_t owner, bool *is_taken,
                                               struct mb_error *err);

/* Lock an existing folder whose owner is gone. False if it is missing or owned. */
bool spool_folder_take_over(struct spool_folder *folder, const char *spool, const char *process,
                            uint32_t owner);

/* Unlock and close it; nothing happens if it is closed. */
void spool_folder_close(struct spool_folder *folder);

/* It was removed or moved away, or the program closed its descriptor. */
bool spool_folder_is_gone(const struct spool_folder *folder);

/* It exists, but not at its path: it was moved away, or the process changed its root. */
bool spool_folder_is_elsewhere(const struct spool_folder *folder);

#endif
