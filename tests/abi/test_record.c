#include "abi/names.h"
#include "abi/record.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(record, fields_are_where_the_articles_put_them)
{
    cr_assert(eq(u64, abi_record(0, true, 0), UINT64_C(0x8000000000000000)));
    cr_assert(eq(u64, abi_record(1, false, 0), UINT64_C(0x0000080000000000)));
    cr_assert(eq(u64, abi_record(ABI_MESSAGE_ID, true, 5), UINT64_C(0xfffff00000000005)));
    cr_assert(eq(u64, abi_record(0, false, UINT64_MAX), UINT64_C(0x000007ffffffffff)));
}

Test(record, fields_come_back)
{
    uint64_t word = abi_record(ABI_MAX_ID, true, ABI_TIME_MASK - 1);

    cr_assert(abi_record_is_enter(word));
    cr_assert(eq(u32, abi_record_id(word), ABI_MAX_ID));
    cr_assert(eq(u64, abi_record_time(word), ABI_TIME_MASK - 1));
    cr_assert(not(abi_record_is_enter(abi_record(7, false, 1))));
}

Test(record, a_field_that_is_too_wide_does_not_touch_its_neighbour)
{
    cr_assert(eq(u64, abi_record(0, false, ABI_TIME_MASK + 1), 0));
    cr_assert(eq(u64, abi_record(ABI_ID_MASK + 1, false, 0), 0));
}

Test(record, elapsed_time_survives_the_wrap)
{
    cr_assert(eq(u64, abi_record_elapsed(ABI_TIME_MASK - 2, 4), 7));
    cr_assert(eq(u64, abi_record_elapsed(10, 15), 5));
}
