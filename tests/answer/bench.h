/* Files for the tests of src/report, in a folder of their own. */

#ifndef ANSWER_BENCH_H
#define ANSWER_BENCH_H

#include "abi/tracefile.h"

#include <stdbool.h>

#define IN(id, ms) (UINT64_C(1) << 63 | (uint64_t)(id) << 43 | (uint64_t)(ms)*1000000)
#define OUT(id, ms) ((uint64_t)(id) << 43 | (uint64_t)(ms)*1000000)

/* A thread that ends with its last word. */
struct bench_thread {
    const char *name;
    uint64_t words[12]; /* up to the first 0 */
    bool is_main;
};

/* Make the folder and take it away with all that is in it: init and fini of a suite. */
void bench_begin(void);
void bench_end(void);

/* The path of a file there; until the next call. */
const char *bench_path(const char *name);

/* Write a file there. */
void bench_write(const char *name, const void *bytes, size_t size);
void bench_write_text(const char *name, const char *text);

/* A closed trace of these threads, in nanoseconds. */
void bench_write_trace(const char *name, const struct bench_thread *threads, uint32_t count,
                       uint64_t mapping_hash);

#endif
