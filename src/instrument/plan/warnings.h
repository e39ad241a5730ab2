/* Warnings to the user. Threads add them; their order in the output follows the inputs. */

#ifndef INSTRUMENT_PLAN_WARNINGS_H
#define INSTRUMENT_PLAN_WARNINGS_H

#include "instrument/plan/source.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct plan_warning {
    uint64_t place; /* sort key */
    struct mb_error error;
};

struct plan_warnings {
    pthread_mutex_t lock;
    struct plan_warning *items;
    size_t count;
    size_t capacity;
};

void plan_warnings_init(struct plan_warnings *warnings);
void plan_warnings_finish(struct plan_warnings *warnings);

/* Copies the error. Any thread. */
MB_MUST_CHECK enum mb_status plan_warnings_add(struct plan_warnings *warnings, uint64_t place,
                                               const struct mb_error *warning,
                                               struct mb_error *err);

/* Warn about a class, which is still written. reason, to which the place is added, may be err. Any
 * thread. */
MB_MUST_CHECK enum mb_status plan_warn_class(struct plan_warnings *warnings,
                                             const struct plan_source *source,
                                             const struct plan_class *cls,
                                             const struct mb_error *reason, struct mb_error *err);

/* By place. */
void plan_warnings_sort(struct plan_warnings *warnings);

/* The place of an entry of an input; warnings about the whole run come first, with place 0. */
static inline uint64_t plan_place(uint32_t source, uint32_t entry)
{
    return ((uint64_t)source + 1) << 32 | entry;
}

#endif
