/* Constants that are added: their bytes, their indices, and a pool that is full. */

#include "classfile/constants.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(constants, stand_behind_those_that_were_there)
{
    static const uint8_t expected[] = {1,  0, 1, 'x',      /* 7: Utf8 */
                                       7,  0, 7,           /* 8: Class, by add_class */
                                       3,  0, 1, 2,   3,   /* 9: Integer */
                                       12, 0, 7, 0,   6,   /* 10: NameAndType */
                                       10, 0, 8, 0,   10}; /* 11: Methodref */
    struct cf_pool pool = {.count = 7};
    struct cf_constants constants = {0};

    cf_constants_start(&constants, &pool);
    cr_expect(eq(u16, cf_constants_add_class(&constants, MB_TEXT("x")), 8));
    cr_expect(eq(u16, cf_constants_add_integer(&constants, 0x010203), 9));
    cr_expect(eq(u16, cf_constants_add_member(&constants, CF_TAG_METHODREF, 8, 7, 6), 11));
    cr_assert(eq(sz, constants.bytes.size, sizeof(expected)));
    cr_expect(eq(int, memcmp(constants.bytes.bytes, expected, sizeof(expected)), 0));
    cr_expect(eq(u32, constants.count, 12));
    cr_expect(not(constants.is_full));
    cf_constants_start(&constants, &pool);
    cr_expect(eq(sz, constants.bytes.size, 0));
    cr_expect(eq(u32, constants.count, 7));
    cf_constants_finish(&constants);
}

Test(constants, a_full_pool_takes_none_until_the_next_start)
{
    struct cf_pool pool = {.count = CF_MAX_POOL_COUNT - 1};
    struct cf_constants constants = {0};

    cf_constants_start(&constants, &pool);
    cr_expect(eq(u32, cf_constants_room(&constants), 1));
    cr_expect(eq(u16, cf_constants_add_class(&constants, MB_TEXT("x")), 0)); /* two are needed */
    cr_expect(constants.is_full);
    cr_expect(eq(u16, cf_constants_add_utf8(&constants, MB_TEXT("y")), 0));
    cf_constants_start(&constants, &pool);
    cr_expect(not(constants.is_full));
    cr_expect(eq(u16, cf_constants_add_integer(&constants, 1), CF_MAX_POOL_COUNT - 1));
    cr_expect(eq(u32, cf_constants_room(&constants), 0));
    cr_expect(not(constants.is_full));
    cr_expect(eq(u16, cf_constants_add_integer(&constants, 1), 0));
    cr_expect(constants.is_full);
    cf_constants_finish(&constants);
}
