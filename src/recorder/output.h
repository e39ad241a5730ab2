/* New trace files: under a name of their own until they are complete, readable by their owner. */

#ifndef RECORDER_OUTPUT_H
#define RECORDER_OUTPUT_H

#include "base/check.h"
#include "base/error.h"
#include "recorder/core.h"

#include <stdbool.h>
#include <stdint.h>

#define BEAT_TEMPORARY_SIZE 7u /* of the suffix until the file is complete */

struct beat_output {
    char temporary[BEAT_PATH_SIZE + BEAT_TEMPORARY_SIZE + 1]; /* a name of this process alone */
    int fd;
};

/* MB_IO if what is at path is not a trace (nor empty, nor nothing), so that nothing else is lost, a
 * symbolic link, which others may have planted, or a trace that a process is recording to. The file
 * is locked for as long as a process has it open or mapped. */
MB_MUST_CHECK enum mb_status beat_output_create(struct beat_output *output, const char *path,
                                                struct mb_error *err);

/* ftruncate, but MB_IO where the limit of file sizes would have ended the process. */
MB_MUST_CHECK enum mb_status beat_output_set_size(int fd, uint64_t size, struct mb_error *err);

/* Take the place of what is at path; MB_IO as above, if that is another one by now. fd stays
 * open. */
MB_MUST_CHECK enum mb_status beat_output_appear(struct beat_output *output, const char *path,
                                                struct mb_error *err);

/* Does it begin like a trace, or is empty? */
bool beat_output_is_trace(int fd);

/* The id of the process that records to this trace; 0 if none does, or the file system has no
 * locks. */
uint32_t beat_output_writer(int fd);

/* Close the file, and remove it if it has not appeared. */
void beat_output_discard(struct beat_output *output);

#endif
