#include "base/strmap.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdint.h>
#include <stdio.h>

Test(strmap, keeps_what_was_put)
{
    struct mb_strmap map = {0};
    char key[32];

    for (intptr_t i = 0; i < 1000; i++) {
        int size = snprintf(key, sizeof(key), "key%d", (int)i);
        *mb_strmap_slot(&map, key, (size_t)size) = (void *)i;
    }
    cr_assert(eq(sz, map.count, 1000));
    cr_assert(eq(int, (int)(intptr_t)mb_strmap_find(&map, "key77x", 5), 77));
    cr_assert(eq(int, (int)(intptr_t)mb_strmap_find(&map, "key999", 6), 999));
    cr_assert(eq(ptr, mb_strmap_find(&map, "key77x", 6), NULL));
    mb_strmap_finish(&map);
}

Test(strmap, an_empty_map_finds_nothing)
{
    struct mb_strmap map = {0};

    cr_assert(eq(ptr, mb_strmap_find(&map, "", 0), NULL));
    cr_assert(ne(ptr, mb_strmap_slot(&map, "", 0), NULL));
    cr_assert(eq(sz, map.count, 1));
    mb_strmap_finish(&map);
    mb_strmap_finish(&map);
}
