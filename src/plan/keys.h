/* Numbers by keys, which are names of the run or of methods (rule_method_key): asked a million
 * times, and most keys are not there. */

#ifndef PLAN_KEYS_H
#define PLAN_KEYS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct plan_key;

/* Open addressing, a quarter to half full. */
struct plan_keys {
    struct plan_key *rows; /* owned */
    unsigned shift;        /* from a mixed key to its first row */
};

/* Room for that many keys, with copies. MB_NO_MEMORY; finish also then. */
MB_MUST_CHECK enum mb_status plan_keys_init(struct plan_keys *keys, size_t most,
                                            struct mb_error *err);
void plan_keys_finish(struct plan_keys *keys);

/* In place of the number that the key had. A number is not 0. */
void plan_keys_put(struct plan_keys *keys, uint32_t key, uint32_t number);

/* 0 if absent. */
uint32_t plan_keys_find(const struct plan_keys *keys, uint32_t key);

#endif
