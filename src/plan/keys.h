/* A set of keys (rule_method_key) that is asked of a million methods, most of which are not in it.
 */

#ifndef PLAN_KEYS_H
#define PLAN_KEYS_H

#include "base/error.h"
#include "base/vec.h"

#include <stdbool.h>

/* Zeroed memory is empty: push keys, then close it. */
struct plan_keys {
    union mb_numbers keys; /* closed: ascending */
    struct mb_buf hints;   /* bits by parts of keys: where none is set, no key is */
    unsigned shift;        /* to these parts */
};

/* MB_NO_MEMORY, of a push too. */
MB_MUST_CHECK enum mb_status plan_keys_close(struct plan_keys *keys, struct mb_error *err);
bool plan_keys_has(const struct plan_keys *keys, uint32_t key);

/* Also after failure. */
void plan_keys_finish(struct plan_keys *keys);

#endif
