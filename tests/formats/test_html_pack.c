#include "formats/html_calls.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static void expect_bytes(struct mb_buf *raw, const char *bytes, size_t size)
{
    cr_assert(eq(sz, raw->size, size));
    cr_expect(eq(int, memcmp(raw->bytes, bytes, size), 0));
    mb_buf_finish(raw);
}

Test(html_pack, numbers_have_seven_bits_a_byte)
{
    struct mb_buf raw = {0};

    format_pack_number(&raw, 0);
    format_pack_number(&raw, 127);
    format_pack_number(&raw, 128);
    format_pack_number(&raw, 300);
    expect_bytes(&raw, "\x00\x7f\x80\x01\xac\x02", 6);
}

Test(html_pack, signs_are_folded)
{
    struct mb_buf raw = {0};

    format_pack_signed(&raw, 0);
    format_pack_signed(&raw, -1);
    format_pack_signed(&raw, 1);
    format_pack_signed(&raw, -64);
    expect_bytes(&raw, "\x00\x01\x02\x7f", 4);
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

Test(html_pack, a_column_begins_with_its_size)
{
    struct mb_buf raw = {0};
    size_t column = format_pack_begin_column(&raw);

    format_pack_number(&raw, 300);
    format_pack_end_column(&raw, column);
    expect_bytes(&raw, "\x02\x00\x00\x00\xac\x02", 6);
}

/* What the packed bytes are is for zlib to say: cli/test_page.py unpacks them. */
Test(html_pack, elements_are_base64)
{
    static const char start[] = "<script type=\"text/plain\" id=\"a-1\">eJ";
    static const char end[] = "=</script>\n";
    struct mb_buf out = {0};
    struct mb_buf raw = {0};

    format_pack_element(&out, "a-1", &raw);
    cr_assert(gt(sz, out.size, sizeof(start) + sizeof(end)));
    cr_expect(eq(int, memcmp(out.bytes, start, sizeof(start) - 1), 0));
    cr_expect(eq(int, memcmp(out.bytes + out.size - sizeof(end) + 1, end, sizeof(end) - 1), 0));
    mb_buf_finish(&out);
}
