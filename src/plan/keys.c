#include "plan/keys.h"

#include <stdlib.h>

#define HINTS_PER_KEY 8
#define MAX_HINT_BITS 28

static int compare_keys(const void *left, const void *right)
{
    const uint32_t *a = left;
    const uint32_t *b = right;

    return (*a > *b) - (*a < *b);
}

static void sort_keys(union mb_numbers *keys)
{
    size_t kept = 0;

    MB_VEC_SORT(keys, compare_keys);
    for (size_t i = 0; i < MB_VEC_COUNT(keys); i++) {
        if (kept == 0 || keys->items[kept - 1] != keys->items[i]) {
            keys->items[kept++] = keys->items[i];
        }
    }
    MB_VEC_CUT(keys, kept);
}

static uint32_t hint_of(const struct plan_keys *keys, uint32_t key)
{
    return key * UINT32_C(0x9e3779b1) >> keys->shift;
}

enum mb_status plan_keys_close(struct plan_keys *keys, struct mb_error *err)
{
    unsigned bits = 3;

    MB_TRY(mb_buf_check(&keys->keys.buf, err));
    sort_keys(&keys->keys);
    size_t count = MB_VEC_COUNT(&keys->keys);
    while (bits < MAX_HINT_BITS && (size_t)1 << bits < HINTS_PER_KEY * count) {
        bits++;
    }
    keys->shift = 32 - bits;
    if (!mb_buf_zero(&keys->hints, (size_t)1 << (bits - 3))) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t hint = hint_of(keys, keys->keys.items[i]);
        keys->hints.bytes[hint / 8] |= (uint8_t)(1U << hint % 8);
    }
    return MB_OK;
}

bool plan_keys_has(const struct plan_keys *keys, uint32_t key)
{
    uint32_t hint = hint_of(keys, key);

    return (keys->hints.bytes[hint / 8] >> hint % 8 & 1) != 0 &&
           bsearch(&key, keys->keys.items, MB_VEC_COUNT(&keys->keys), sizeof(key), compare_keys) !=
               NULL;
}

void plan_keys_finish(struct plan_keys *keys)
{
    mb_buf_finish(&keys->keys.buf);
    mb_buf_finish(&keys->hints);
}
