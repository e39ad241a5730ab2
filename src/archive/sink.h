/* Where libzip writes an archive to: our own buffer, then the file. libzip's own file back end seeks
 * back to each local header and flushes every time, a fifth of the whole cost. */

#ifndef ARCHIVE_SINK_H
#define ARCHIVE_SINK_H

#include "base/buf.h"

#include <zip.h>

struct ar_sink {
    int fd;            /* borrowed; -1: keep all in buf */
    int saved_errno;   /* why writing failed, 0 if it did not */
    uint64_t flushed;  /* bytes written to fd: buf begins there */
    uint64_t position; /* of the next write */
    struct mb_buf buf;
    zip_error_t error; /* what libzip asks for after a failure */
};

/* A libzip source that stands for the archive file; the sink must outlive it. NULL with *error
 * filled. */
zip_source_t *ar_sink_source(struct ar_sink *sink, zip_error_t *error);

#endif
