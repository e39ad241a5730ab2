/* A file whose parts are made by any threads, and stand in the order of their numbers. */

#ifndef INSTRUMENT_PARTFILE_H
#define INSTRUMENT_PARTFILE_H

#include "base/buf.h"
#include "base/error.h"

#include <pthread.h>

struct ins_partfile {
    int fd; /* borrowed */
    pthread_mutex_t lock;
    pthread_cond_t change;
    size_t next_part;
    uint64_t size;
    bool is_failed;
};

/* fd is an empty file. Finish closes nothing. */
void ins_partfile_init(struct ins_partfile *file, int fd);
void ins_partfile_finish(struct ins_partfile *file);

/* Write the part once the sizes of those before it are known, which waits for who makes them: parts
 * must be begun in their order, and each must be put or failed. */
MB_MUST_CHECK enum mb_status ins_partfile_put(struct ins_partfile *file, size_t part,
                                              const struct mb_buf *text, struct mb_error *err);

/* A part will not come: nobody need wait for it. */
void ins_partfile_fail(struct ins_partfile *file);

#endif
