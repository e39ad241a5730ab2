#include "base/strmap.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdint.h>
#include <stdio.h>

static bool check_order(void *context, const char *key, size_t size, void *value)
{
    intptr_t *next = context;

    cr_assert(eq(sz, strlen(key), size));
    cr_assert(eq(int, (int)(intptr_t)value, (int)*next));
    ++*next;
    return *next < 500;
}

Test(strmap, keeps_what_was_put_in_order)
{
    struct mb_strmap map = {0};
    char key[32];
    intptr_t next = 0;

    for (intptr_t i = 0; i < 1000; i++) {
        int size = snprintf(key, sizeof(key), "key%d", (int)i);
        *mb_strmap_slot(&map, key, (size_t)size) = (void *)i;
    }
    cr_assert(eq(sz, map.count, 1000));
    cr_assert(eq(int, (int)(intptr_t)mb_strmap_find(&map, "key77", 5), 77));
    cr_assert(eq(ptr, mb_strmap_find(&map, "key77x", 6), NULL));
    cr_assert_str_eq(mb_strmap_key(&map, "key77x", 5), "key77");
    mb_strmap_each(&map, check_order, &next);
    cr_assert(eq(int, (int)next, 500));
    mb_strmap_finish(&map);
}

Test(strmap, an_empty_map_finds_nothing)
{
    struct mb_strmap map = {0};

    cr_assert(eq(ptr, mb_strmap_find(&map, "", 0), NULL));
    cr_assert(ne(ptr, mb_strmap_slot(&map, "", 0), NULL));
    cr_assert(eq(sz, map.count, 1));
    cr_assert_str_eq(mb_strmap_key(&map, "", 0), "");
    mb_strmap_finish(&map);
    mb_strmap_finish(&map);
}
