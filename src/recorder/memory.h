/* The mapping that is ring memory and trace file at once. Its address never changes and it is never
 * unmapped: a thread that lost the CPU in the middle of a probe may store into it much later. */

#ifndef RECORDER_MEMORY_H
#define RECORDER_MEMORY_H

#include "base/check.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* {.fd = -1} is none. */
struct beat_memory {
    uint8_t *bytes;
    size_t size;
    int fd; /* of the file, while it backs the mapping; else -1 */
};

/* size bytes of zeroes that cost nothing until they are touched. Shared with nobody: a forked child
 * gets its own copy. */
MB_MUST_CHECK enum mb_status beat_memory_create(struct beat_memory *memory, size_t size,
                                                struct mb_error *err);

/* Put a new file behind the mapping, holding what the mapping held; an older file of that name is
 * unlinked, not overwritten, as somebody may be reading it. The first reserved_size bytes get disk
 * blocks. On failure (MB_IO) the memory is as before and no file is left. Stores by other threads
 * in the meantime may be lost. */
MB_MUST_CHECK enum mb_status beat_memory_move_to_file(struct beat_memory *memory, const char *path,
                                                      size_t reserved_size, struct mb_error *err);

/* Make sure that stores to [offset, offset + size) cannot fail for want of disk space (SIGBUS).
 * Always true for memory without file. */
bool beat_memory_reserve(const struct beat_memory *memory, uint64_t offset, uint64_t size);

/* Give the content back to the system, keep the addresses; reads give 0, stores go nowhere. Only
 * mmap and close: for use in a forked child too. */
void beat_memory_retire(struct beat_memory *memory);

#endif
