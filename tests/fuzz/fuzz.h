/* What a fuzz target and its driver (libFuzzer, or replay.c) agree on. */

#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* libFuzzer's name. Returns 0; a broken promise aborts. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define PROMISE(condition)                                                                \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            (void)fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

#endif
