/* What libFuzzer and replay.c call. */

#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Aborts when the target breaks its promise for these bytes. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PROMISE(kept)  \
    do {               \
        if (!(kept)) { \
            abort();   \
        }              \
    } while (0)

#endif
