/* The files of issues in the folder of a process (spool/folder.h), day by day. Folders are open. */

#ifndef SPOOL_FILES_H
#define SPOOL_FILES_H

#include "spool/incident.h"

/* The folder of a day, if need be made; -1 with errno. The caller closes it. */
int spool_files_open_day(int folder, int64_t day);
int spool_files_make_day(int folder, int64_t day);

/* Write a file whole under its hidden name; then give it the other one. False with errno: there is
 * no such file. */
bool spool_file_prepare(int day_folder, const char *name, struct mb_text bytes, bool is_synced);
bool spool_file_publish(int day_folder, const char *name, bool is_synced);

struct spool_file {
    int folder; /* of its day */
    const char *name;
    bool is_hidden;               /* being written; name is the one it is to have */
    bool is_counts;               /* no issue */
    struct spool_file_name parts; /* unless is_counts */
    int64_t day;                  /* of the folder */
    int64_t changed;              /* day of its last change */
    uint64_t size;
};

typedef void spool_visit(void *context, const struct spool_file *file);

/* Each file, in no order; those of others are left out. Files may come and go meanwhile. False if
 * not all could be seen. */
bool spool_files_visit(int folder, spool_visit *visit, void *context);

/* Of one in a visit, or of what has its folder and name. Append its text; false if it cannot be
 * read, or has more bytes than that. */
bool spool_file_read(const struct spool_file *file, size_t limit, struct mb_buf *out);
bool spool_file_remove(const struct spool_file *file);

/* Remove folders of days that are empty. */
void spool_files_tidy(int folder);

#endif
