/* The event log on disk, in two files: the newer one has the given name, the older one ends in .1.
 * If a write fails, the log ends, with one line in the program's log. */

#ifndef WATCH_EVENTFILE_H
#define WATCH_EVENTFILE_H

#include "base/file.h"
#include "monitor/eventlog.h"

#include <stdbool.h>

#define WATCH_EVENTFILE_SIZE ((size_t)2 * 1024 * 1024)

struct watch_eventfile {
    int fd; /* -1: not open */
    struct mb_file_id id;
    size_t size;      /* of the newer file */
    size_t most;      /* of each */
    const char *path; /* borrowed */
    struct mb_buf lines;
    struct mon_log *state;
};

/* path "": none. most: bytes of each file; 0: the usual. */
void watch_eventfile_open(struct watch_eventfile *file, const char *path, size_t most);

void watch_eventfile_put(struct watch_eventfile *file, const struct mon_event *event,
                         const struct mon_names *names, const struct mon_options *options);

/* At the end of a batch: write the events, and begin a new file if this one is full. */
void watch_eventfile_flush(struct watch_eventfile *file);

void watch_eventfile_close(struct watch_eventfile *file);

#endif
