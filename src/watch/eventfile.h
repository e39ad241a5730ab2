/* The event log on disk: two files in turn, the newer one named as asked for, the older one with .1
 * behind. What cannot be written costs one line, and the log. */

#ifndef WATCH_EVENTFILE_H
#define WATCH_EVENTFILE_H

#include "base/file.h"
#include "monitor/eventlog.h"

#include <stdbool.h>

#define WATCH_EVENTFILE_SIZE ((size_t)2 * 1024 * 1024)

struct watch_eventfile {
    int fd; /* -1: none is written */
    struct mb_file_id id;
    size_t size;      /* of the newer one */
    size_t most;      /* of each */
    const char *path; /* borrowed */
    struct mb_buf lines;
    struct mon_log *state;
};

/* path "": none. most: bytes of each file; 0: the usual. */
void watch_eventfile_open(struct watch_eventfile *file, const char *path, size_t most);

void watch_eventfile_put(struct watch_eventfile *file, const struct mon_event *event,
                         const struct mon_names *names, const struct mon_options *options);

/* At the end of a batch: write what was put, and go on in another file if this one is full. */
void watch_eventfile_flush(struct watch_eventfile *file);

void watch_eventfile_close(struct watch_eventfile *file);

#endif
