/* The classes of jars in memory, for benchmarks of what is done to each. */

#ifndef BENCH_CLASSES_H
#define BENCH_CLASSES_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

struct bench_class {
    struct mb_text entry_name;
    const uint8_t *bytes;
    size_t size;
};

/* Zeroed memory holds no class. */
struct bench_classes {
    struct mb_arena storage;
    struct bench_class *rows;
    size_t count;
    size_t capacity;
    uint64_t bytes; /* of all */
};

/* Add those of a jar. An error ends the process. */
void bench_load_jar(struct bench_classes *classes, const char *path);
void bench_classes_finish(struct bench_classes *classes);

_Noreturn void bench_stop(const struct mb_error *err);
_Noreturn void bench_stop_without_memory(void);

#endif
