/* New trace files: under a name of their own until they are complete, readable by their owner. */

#ifndef RECORDER_OUTPUT_H
#define RECORDER_OUTPUT_H

#include "base/check.h"
#include "base/error.h"
#include "recorder/core.h"

#include <stdint.h>

struct beat_output {
    char temporary[BEAT_PATH_SIZE + 8]; /* beside the path, and nobody else's */
    int fd;
};

/* MB_IO if what is at path is no trace (nor empty, nor nothing), so that nothing else is lost, or a
 * symbolic link, so that nobody can plant one. */
MB_MUST_CHECK enum mb_status beat_output_create(struct beat_output *output, const char *path,
                                                struct mb_error *err);

/* ftruncate, but MB_IO where the limit of file sizes would have ended the process. */
MB_MUST_CHECK enum mb_status beat_output_set_size(int fd, uint64_t size, struct mb_error *err);

/* Take the place of what is at path. fd stays open. */
MB_MUST_CHECK enum mb_status beat_output_appear(struct beat_output *output, const char *path,
                                                struct mb_error *err);

/* Close the file, and remove it if it has not appeared. */
void beat_output_discard(struct beat_output *output);

#endif
