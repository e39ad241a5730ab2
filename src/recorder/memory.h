/* Mappings that are ring memory and trace file at once. An address once handed out stays mapped for
 * as long as the process lives: a thread that lost the CPU in the middle of a probe may store there
 * much later. All under the recorder's lock. */

#ifndef RECORDER_MEMORY_H
#define RECORDER_MEMORY_H

#include "base/check.h"
#include "base/error.h"
#include "base/file.h"
#include "recorder/core.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What decides where the words of each ring are. */
struct beat_plan {
    uint32_t ring_count;
    uint32_t main_words;
    uint32_t thread_words;
    uint32_t lane_count;    /* of the rings, the last */
    uint32_t profile_nodes; /* 0: no profile */
    bool has_names;
};

/* Part of a memory. */
struct beat_extent {
    uint64_t offset;
    uint64_t size;
    uint64_t used; /* at its beginning; zeroes follow */
};

struct beat_memory {
    union {
        uint8_t *bytes;
        struct abi_trace_header *header; /* they begin with it */
    };
    size_t size;
    int fd; /* of the file, while it backs the mapping; else -1 */
    struct mb_file_id file;
    struct beat_plan plan;
    struct beat_cursor (*cursors)[2]; /* one for each half of each ring */
    uint32_t pin_count;    /* who may store to it, or takes what it reads there for its own */
    uint32_t reader_count; /* who needs what it holds */
    bool is_released;      /* of no use but to readers */
    struct beat_memory *next;
};

/* Zero pages, private to the process: a forked child gets its own copy. Reuses memory of a
 * former session if that has the same plan and no pin. NULL if memory runs out. Never freed. */
struct beat_memory *beat_memory_take(const struct beat_plan *plan, size_t size,
                                     struct mb_error *err);

/* Return the content to the system, now or when the last reader is done. The addresses stay
 * mapped: reads give 0, stores are lost. Accepts NULL. */
void beat_memory_release(struct beat_memory *memory);

/* In a forked child, which has one thread: drop all pins and readers, and release all memory. */
void beat_memory_release_all(void);

/* Move the pin from the memory that it holds to this one. NULL: only drop it. */
void beat_memory_pin(struct beat_memory **pin, struct beat_memory *memory);

/* Keep the content of memory, even if it is released meanwhile. */
void beat_memory_begin_reading(struct beat_memory *memory);
void beat_memory_end_reading(struct beat_memory *memory);

/* Back the mapping by a new file with the same content. The file replaces an older trace of that
 * name; processes that have the old one open keep it. The extents, which hold all used parts,
 * get disk blocks. On failure (MB_IO) memory and older trace are unchanged. Concurrent stores of
 * other threads may be lost. */
MB_MUST_CHECK enum mb_status beat_memory_move_to_file(struct beat_memory *memory, const char *path,
                                                      const struct beat_extent *extents,
                                                      size_t extent_count, struct mb_error *err);

/* True if a file backs the memory and the program has not closed its descriptor. */
bool beat_memory_has_file(const struct beat_memory *memory);

/* Make sure that stores to [offset, offset + size) cannot fail for want of disk space (SIGBUS).
 * Always true for memory without file. */
bool beat_memory_reserve(const struct beat_memory *memory, uint64_t offset, uint64_t size);

#endif
