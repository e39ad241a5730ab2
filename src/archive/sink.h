/* The target of libzip's writes: our buffer, then the file. libzip's own file back end seeks back
 * to each local header and flushes every time, a fifth of the whole cost. */

#ifndef ARCHIVE_SINK_H
#define ARCHIVE_SINK_H

#include "base/buf.h"
#include "base/text.h"

#include <zip.h>

struct ar_sink {
    int fd;            /* borrowed; -1: keep all in buf */
    int saved_errno;   /* why writing failed, 0 if it did not */
    uint64_t flushed;  /* bytes written to fd: buf begins there */
    uint64_t position; /* of the next write */
    struct mb_buf buf;
    struct mb_text comment; /* of the archive: borrowed, written last */
    zip_error_t error;      /* for libzip's query after a failure */
};

/* A libzip source that stands for the archive file; the sink must outlive it. NULL with *error
 * filled. */
zip_source_t *ar_sink_source(struct ar_sink *sink, zip_error_t *error);

/* Write the bytes before the archive, or an archive that needs no libzip. False with saved_errno.
 */
bool ar_sink_put(struct ar_sink *sink, struct mb_text bytes);

/* Write the comment, record its size in the end record (APPNOTE 4.3.16), which was written last,
 * and flush the buffer. */
bool ar_sink_finish(struct ar_sink *sink);

#endif
