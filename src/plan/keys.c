#include "plan/keys.h"

#include <stdlib.h>

struct plan_key {
    uint32_t key;
    uint32_t number; /* 0: the row is free */
};

enum mb_status plan_keys_init(struct plan_keys *keys, size_t most, struct mb_error *err)
{
    unsigned bits = 1;

    while (most >> (bits - 1) > 0) {
        bits++;
    }
    keys->shift = 64 - bits;
    keys->rows = calloc((size_t)1 << bits, sizeof(*keys->rows));
    return keys->rows != NULL ? MB_OK : mb_fail_memory(err);
}

void plan_keys_finish(struct plan_keys *keys)
{
    free(keys->rows);
    *keys = (struct plan_keys){0};
}

/* The row of the key, or the free one for it. */
static struct plan_key *find_row(const struct plan_keys *keys, uint32_t key)
{
    size_t last = (size_t)(UINT64_MAX >> keys->shift);
    size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> keys->shift);

    while (keys->rows[i].number != 0 && keys->rows[i].key != key) {
        i = (i + 1) & last;
    }
    return &keys->rows[i];
}

void plan_keys_put(struct plan_keys *keys, uint32_t key, uint32_t number)
{
    *find_row(keys, key) = (struct plan_key){key, number};
}

uint32_t plan_keys_find(const struct plan_keys *keys, uint32_t key)
{
    return find_row(keys, key)->number;
}
