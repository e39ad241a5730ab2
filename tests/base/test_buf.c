#include "base/buf.h"

#include "base/arena.h"
#include "tests/support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(buf, puts_integers_big_endian)
{
    struct mb_buf buf = {0};
    static const uint8_t expected[] = {1, 2, 3, 4, 5, 6, 7, 'a', '7'};

    mb_buf_put_u1(&buf, 1);
    mb_buf_put_u2(&buf, 0);
    mb_buf_put_u4(&buf, 0x04050607);
    mb_buf_patch_u2(&buf, 1, 0x0203);
    mb_buf_printf(&buf, "%s%d", "a", 7);
    cr_assert(eq(sz, buf.size, sizeof(expected)));
    cr_assert_arr_eq(buf.bytes, expected, sizeof(expected));
    mb_buf_patch_u4(&buf, 0, 0xfffefdfc);
    cr_assert(eq(u32, mb_get_u4(buf.bytes), 0xfffefdfc));
    cr_assert(eq(u16, mb_get_u2(buf.bytes + 2), 0xfdfc));
    mb_buf_finish(&buf);
}

Test(buf, a_failure_sticks_until_reset)
{
    struct mb_buf buf = {0};
    struct mb_buf whole = {0};

    allocations_left = 1;
    mb_alloc_should_fail = fail_after;
    for (int i = 0; i < 1000; i++) {
        mb_buf_put_u4(&buf, 1);
    }
    cr_assert(eq(int, mb_buf_check(&buf, NULL), MB_NO_MEMORY));
    cr_assert(eq(sz, buf.size, 256));
    mb_buf_patch_u2(&buf, 100000, 1); /* nothing to patch in a failed buffer */
    mb_alloc_should_fail = NULL;
    mb_buf_finish_part(&whole, &buf);
    mb_buf_finish_part(&whole, &buf); /* one that has not failed */
    cr_assert(eq(int, mb_buf_check(&whole, NULL), MB_NO_MEMORY));
    mb_buf_reset(&whole);
    cr_assert(eq(int, mb_buf_check(&whole, NULL), MB_OK));
}

Test(buf, impossible_sizes_fail)
{
    struct mb_buf buf = {0};

    cr_assert(not(mb_buf_reserve(&buf, SIZE_MAX)));
    cr_assert(eq(ptr, mb_buf_extend(&buf, 1), NULL));
    mb_buf_finish(&buf);
}

Test(buf, takes_room_instead_of_what_was_there)
{
    struct mb_buf buf = {0};

    mb_buf_put_u4(&buf, 1);
    uint64_t *numbers = mb_buf_take(&buf, 3, sizeof(*numbers));
    cr_assert(numbers != NULL && buf.size == 3 * sizeof(*numbers));
    cr_assert(mb_buf_take(&buf, SIZE_MAX / 2, sizeof(*numbers)) == NULL && buf.failed);
    mb_buf_finish(&buf);
}
