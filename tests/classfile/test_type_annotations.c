/* Type annotations whose places move. */

#include "moved.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* One annotation of each form that names a pc, with element values nested in each way. */
static const uint8_t annotations[] = {
    0,    3,                                     /* three annotations */
    0x40, 0, 1,   0, 10, 0,   1,   0, 2,         /* local variable over [10, 11), slot 2 */
    1,    0, 0,                                  /* type_path of one step */
    0,    9, 0,   1,                             /* type 9, one pair */
    0,    8, '[', 0, 2,  'I', 0,   7, 's', 0, 6, /* an array of two */
    0x44, 0, 10,  0,                             /* new at 10 */
    0,    9, 0,   1, 0,  8,   '@', 0, 9,   0, 1, /* a nested annotation of one pair */
    0,    8, 'e', 0, 1,  0,   2,                 /* an enum constant */
    0x47, 0, 11,  5, 0,  0,   9,   0, 0,         /* cast at 11, bound 5 */
};

Test(type_annotations, type_annotations_move)
{
    struct mb_buf out = {0};
    uint8_t expected[sizeof(annotations)];

    memcpy(expected, annotations, sizeof(annotations));
    expected[6] = 14; /* start_pc: with the probe */
    expected[8] = 5;
    expected[31] = 18; /* the instruction itself */
    expected[53] = 19;
    cr_assert(eq(int,
                 relocate(cf_type_annotations_relocate, annotations, sizeof(annotations), &out),
                 MB_OK));
    cr_assert_arr_eq(out.bytes, expected, sizeof(expected));
    mb_buf_finish(&out);
}

Test(type_annotations, cut_off_type_annotations_are_refused)
{
    struct mb_buf out = {0};

    for (size_t size = 0; size < sizeof(annotations); size++) {
        cr_assert(ne(int, relocate(cf_type_annotations_relocate, annotations, size, &out), MB_OK),
                  "%zu bytes", size);
    }
    mb_buf_finish(&out);
}

Test(type_annotations, values_nested_without_end_are_refused)
{
    uint8_t deep[2 + 4 + 4 + 2 + 3 * 100] = {0, 1, 0x44, 0, 0, 0, 0, 9, 0, 1};
    struct mb_buf out = {0};

    for (size_t i = 0; i < 100; i++) {
        deep[12 + 3 * i] = '[';
        deep[12 + 3 * i + 2] = 1;
    }
    cr_assert(
        eq(int, relocate(cf_type_annotations_relocate, deep, sizeof(deep), &out), MB_UNSUPPORTED));
    mb_buf_finish(&out);
}
