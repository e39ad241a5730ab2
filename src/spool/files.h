/* The files of issues in the folder of a process (spool/folder.h), day by day. Folders are open. */

#ifndef SPOOL_FILES_H
#define SPOOL_FILES_H

#include "spool/incident.h"

#include <dirent.h>

#define SPOOL_COUNTS_NAME "counts" /* and what the name of a file of counts ends with: shelf.h */

/* The folder of a day, if need be made; -1 with errno. The caller closes it. */
int spool_files_open_day(int folder, int64_t day);
int spool_files_make_day(int folder, int64_t day);

/* NULL with errno. Its entries; to be closed with closedir. */
DIR *spool_list(int folder);

/* Names under which a file of a folder is written until it is whole. */
#define SPOOL_TEMPORARY_FILE ".new"
#define SPOOL_TEMPORARY_NOTE ".note"

/* Write a file whole under a name that is for nobody else, then give it its name, in place of what
 * has it. False with errno: nothing has changed. */
bool spool_file_put(int folder, const char *temporary, int to_folder, const char *name,
                    const struct mb_text parts[2], bool is_synced);

struct spool_file {
    int folder; /* of its day */
    const char *name;
    bool is_counts;               /* no issue */
    struct spool_file_name parts; /* unless is_counts */
    int64_t day;                  /* of the folder */
    int64_t changed;              /* day of its last change */
    uint64_t size;
};

typedef void spool_visit(void *context, const struct spool_file *file);

/* Each file, in no order; those of others and hidden ones are left out. Files may come and go
 * meanwhile. False if not all could be seen. */
bool spool_files_visit(int folder, spool_visit *visit, void *context);

/* Of one in a visit. */
bool spool_file_remove(const struct spool_file *file);

/* Remove folders of days that are empty. */
void spool_files_tidy(int folder);

#endif
