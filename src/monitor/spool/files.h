/* Issue files in the folder of a process (monitor/spool/folder.h), one folder a day. All folders
 * passed here are open descriptors. */

#ifndef MONITOR_SPOOL_FILES_H
#define MONITOR_SPOOL_FILES_H

#include "monitor/spool/incident.h"

#include <dirent.h>

/* Open the folder of a day; make it first if it is missing. -1 with errno. The caller closes it. */
int spool_files_open_day(int folder, int64_t day);
int spool_files_make_day(int folder, int64_t day);

/* The entries of a folder; NULL with errno. Close with closedir. */
DIR *spool_list(int folder);

/* Names of files that are being written. */
#define SPOOL_TEMPORARY_FILE ".new"
#define SPOOL_TEMPORARY_NOTE ".note"

/* Write a whole file under a temporary name, then rename it over name. False with errno: nothing
 * has changed. */
bool spool_file_put(int folder, const char *temporary, int to_folder, const char *name,
                    const struct mb_text parts[2]);

struct spool_file {
    int folder; /* that of its day */
    const char *name;
    struct spool_file_name parts; /* of a session: MON_NOTHING */
    int64_t day;                  /* of the folder */
    int64_t changed;              /* the day of its last change */
    uint64_t size;
};

typedef void spool_visit(void *context, const struct spool_file *file);

/* Visit each file of the spool, in any order; hidden files and files of other programs are skipped.
 * Files may come and go meanwhile. False if a folder could not be read. */
bool spool_files_visit(int folder, spool_visit *visit, void *context);

/* Only during a visit. */
bool spool_file_remove(const struct spool_file *file);

/* Remove the empty folders of days. */
void spool_files_tidy(int folder);

#endif
