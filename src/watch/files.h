/* The files of issues in the folder of a process (watch/folder.h), day by day. Folders are open. */

#ifndef WATCH_FILES_H
#define WATCH_FILES_H

#include "watch/incident.h"

#define WATCH_SESSION_NAME "session-" /* and when it began, and its start */

/* The folder of a day, if need be made; -1 with errno. The caller closes it. */
int watch_files_open_day(int folder, int64_t day);
int watch_files_make_day(int folder, int64_t day);

/* Write a file whole under its hidden name; then give it the other one. False with errno: there is no
 * such file. */
bool watch_file_prepare(int day_folder, const char *name, struct mb_text bytes, bool is_synced);
bool watch_file_publish(int day_folder, const char *name, bool is_synced);

struct watch_file {
    int folder; /* of its day */
    const char *name;
    bool is_hidden;               /* being written; name is the one it is to have */
    bool is_counts;               /* or the end of a session: no issue */
    struct watch_file_name parts; /* unless is_counts */
    int64_t day;                  /* of the folder */
    int64_t changed;              /* day of its last change */
    uint64_t size;
};

typedef void watch_visit(void *context, const struct watch_file *file);

/* Each file, in no order; those of others are left out. Files may come and go meanwhile. False if not
 * all could be seen. */
bool watch_files_visit(int folder, watch_visit *visit, void *context);

/* Of one in a visit, or of what has its folder and name. Append its text; false if it cannot be read, or
 * has more bytes than that. */
bool watch_file_read(const struct watch_file *file, size_t limit, struct mb_buf *out);
bool watch_file_remove(const struct watch_file *file);

/* Remove folders of days that are empty. */
void watch_files_tidy(int folder);

#endif
