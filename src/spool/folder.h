/* The folder of one process in the spool, and who owns it.
 *
 *   SPOOL/com.x/lock            held by its owner; a second process of that name has com.x-2 ...
 *   SPOOL/com.x/.5f1c-17        an issue that has no name yet (note.h)
 *   SPOOL/com.x/20261121/142233.517-ANR-9f3a6c01-5f1c-17.json
 *   SPOOL/com.x/20261121/counts-142233.517.json     what was refused (shelf.h)
 *
 * A file is written as .note or .new, and then gets its name.
 *
 * Folders are 0700, files 0600; links are not followed. */

#ifndef SPOOL_FOLDER_H
#define SPOOL_FOLDER_H

#include "base/error.h"
#include "base/file.h"
#include "spool/incident.h"

#include <stdbool.h>
#include <stdint.h>

#define SPOOL_OWNER_COUNT 16u /* processes of one name at a time */
#define SPOOL_PATH_SIZE 1024u

struct spool_folder {
    int fd; /* -1: not open */
    struct mb_file_id id;
    int lock;
    struct mb_file_id lock_id;
    uint32_t owner; /* 1: com.x, 2: com.x-2 ... */
    char path[SPOOL_PATH_SIZE];
};

/* Zeroed memory is not a closed folder: this is. */
#define SPOOL_FOLDER_CLOSED ((struct spool_folder){.fd = -1, .lock = -1})

/* Make and own the folder of the owner-th process of that name. MB_IO with the reason; owned by
 * another is *is_taken. */
MB_MUST_CHECK enum mb_status spool_folder_open(struct spool_folder *folder, const char *spool,
                                               const char *process, uint32_t owner, bool *is_taken,
                                               struct mb_error *err);

/* Own one that is there; false if there is none or it is owned. */
bool spool_folder_open_left(struct spool_folder *folder, const char *spool, const char *process,
                            uint32_t owner);

/* Give it up; for one that is closed nothing. */
void spool_folder_close(struct spool_folder *folder);

/* It was removed, or moved away, or the program has closed it. */
bool spool_folder_is_gone(const struct spool_folder *folder);

/* It is there, but nothing is where it was: it was moved away, or the process has another root. */
bool spool_folder_is_elsewhere(const struct spool_folder *folder);

#endif
