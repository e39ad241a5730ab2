/* What the user should know although the run goes on. Threads add; the order in which warnings are
 * told follows the inputs. */

#ifndef INSTRUMENT_WARNINGS_H
#define INSTRUMENT_WARNINGS_H

#include "base/error.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct ins_warning {
    uint64_t place; /* what they are sorted by */
    struct mb_error error;
};

struct ins_warnings {
    pthread_mutex_t lock;
    struct ins_warning *items;
    size_t count;
    size_t capacity;
};

void ins_warnings_init(struct ins_warnings *warnings);
void ins_warnings_finish(struct ins_warnings *warnings);

/* Copies the error. Any thread. */
MB_MUST_CHECK enum mb_status ins_warnings_add(struct ins_warnings *warnings, uint64_t place,
                                              const struct mb_error *warning, struct mb_error *err);

/* By place. */
void ins_warnings_sort(struct ins_warnings *warnings);

/* Of an entry of an input; warnings about the run as a whole come first, with place 0. */
static inline uint64_t ins_place(uint32_t source, uint32_t entry)
{
    return ((uint64_t)source + 1) << 32 | entry;
}

#endif
