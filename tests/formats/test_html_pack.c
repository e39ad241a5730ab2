/* What the packed bytes are is for zlib to say: cli/test_page.py unpacks them. */

#include "formats/html_calls.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static void expect_bytes(struct mb_buf *raw, const char *bytes, size_t size)
{
    cr_assert(eq(sz, raw->size, size));
    cr_expect(eq(int, memcmp(raw->bytes, bytes, size), 0));
    mb_buf_finish(raw);
}

Test(html_pack, no_number_is_more_than_a_program_can_hold)
{
    struct mb_buf most = {0};
    struct mb_buf raw = {0};

    format_pack_number(&most, FORMAT_PACK_MAX);
    format_pack_number(&raw, UINT64_MAX);
    expect_bytes(&raw, (const char *)most.bytes, most.size);
    format_pack_signed(&raw, INT64_MIN);
    cr_expect(le(sz, raw.size, 8));
    mb_buf_finish(&raw);
    mb_buf_finish(&most);
}
