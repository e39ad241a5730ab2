#include "dump_pool.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_ref(struct mb_buf *out, const struct cf_pool *pool, uint16_t index)
{
    struct cf_ref ref;

    if (!cf_pool_ref(pool, index, &ref)) {
        mb_buf_put_string(out, "?");
        return;
    }
    if (ref.class_name.data != NULL) {
        cf_dump_text(out, ref.class_name);
        mb_buf_put_u1(out, '.');
    } else {
        mb_buf_printf(out, "bootstrap %u ", mb_get_u2(pool->bytes + pool->offsets[index] + 1));
    }
    cf_dump_text(out, ref.name);
    if (ref.descriptor.size > 0 && ref.descriptor.data[0] != '(') {
        mb_buf_put_u1(out, ':');
    }
    cf_dump_text(out, ref.descriptor);
}

/* Enough digits to distinguish any two values; NaN by its bits. */
static void put_float(struct mb_buf *out, const uint8_t *bytes)
{
    uint32_t bits = mb_get_u4(bytes);
    float value;

    memcpy(&value, &bits, sizeof(value));
    if (isfinite(value)) {
        mb_buf_printf(out, "float %.9g", (double)value);
    } else {
        mb_buf_printf(out, "float 0x%08" PRIx32, bits);
    }
}

static uint64_t get_u8(const uint8_t *bytes)
{
    return (uint64_t)mb_get_u4(bytes) << 32 | mb_get_u4(bytes + 4);
}

static void put_double(struct mb_buf *out, const uint8_t *bytes)
{
    uint64_t bits = get_u8(bytes);
    double value;

    memcpy(&value, &bits, sizeof(value));
    if (isfinite(value)) {
        mb_buf_printf(out, "double %.17g", value);
    } else {
        mb_buf_printf(out, "double 0x%016" PRIx64, bits);
    }
}

static void put_handle(struct mb_buf *out, const struct cf_pool *pool, const uint8_t *bytes)
{
    static const char *const kinds[] = {/* JVMS table 5.4.3.5-A */
                                        "?",
                                        "getField",
                                        "getStatic",
                                        "putField",
                                        "putStatic",
                                        "invokeVirtual",
                                        "invokeStatic",
                                        "invokeSpecial",
                                        "newInvokeSpecial",
                                        "invokeInterface"};

    mb_buf_printf(out, "handle %s ", kinds[bytes[0] < MB_COUNT(kinds) ? bytes[0] : 0]);
    put_ref(out, pool, mb_get_u2(bytes + 1));
}

static void put_number(struct mb_buf *out, uint8_t tag, const uint8_t *bytes)
{
    if (tag == CF_TAG_INTEGER) {
        mb_buf_printf(out, "int %" PRId32, (int32_t)mb_get_u4(bytes));
    } else if (tag == CF_TAG_FLOAT) {
        put_float(out, bytes);
    } else if (tag == CF_TAG_LONG) {
        mb_buf_printf(out, "long %" PRId64, (int64_t)get_u8(bytes));
    } else {
        put_double(out, bytes);
    }
}

/* Class, String, MethodType, Module, Package. */
static void put_name(struct mb_buf *out, const struct cf_pool *pool, uint16_t index, uint8_t tag)
{
    struct mb_text name = cf_pool_name(pool, index);

    if (tag == CF_TAG_STRING) {
        mb_buf_put_json_string(out, name);
        return;
    }
    cf_dump_text(out, name);
}

static void put_name_and_type(struct mb_buf *out, const struct cf_pool *pool, const uint8_t *bytes)
{
    cf_dump_text(out, cf_pool_utf8(pool, mb_get_u2(bytes)));
    mb_buf_put_u1(out, ' ');
    cf_dump_text(out, cf_pool_utf8(pool, mb_get_u2(bytes + 2)));
}

void cf_dump_constant(struct mb_buf *out, const struct cf_pool *pool, uint16_t index)
{
    uint8_t tag = cf_pool_tag(pool, index);

    if (tag == 0) {
        mb_buf_printf(out, "?%u", index);
        return;
    }
    const uint8_t *bytes = pool->bytes + pool->offsets[index] + 1;
    switch ((enum cf_form)cf_tag_info(tag)->form) {
    case CF_FORM_NONE:
        break;
    case CF_FORM_UTF8:
        mb_buf_put_json_string(out, cf_pool_utf8(pool, index));
        return;
    case CF_FORM_NUMBER:
    case CF_FORM_WIDE_NUMBER:
        put_number(out, tag, bytes);
        return;
    case CF_FORM_NAME:
        put_name(out, pool, index, tag);
        return;
    case CF_FORM_MEMBER:
    case CF_FORM_DYNAMIC:
        put_ref(out, pool, index);
        return;
    case CF_FORM_NAME_AND_TYPE:
        put_name_and_type(out, pool, bytes);
        return;
    case CF_FORM_METHOD_HANDLE:
        put_handle(out, pool, bytes);
        return;
    }
}

void cf_dump_pool(const struct cf_dump *dump)
{
    const struct cf_pool *pool = &dump->cls->pool;

    mb_buf_printf(dump->out, "\npool %u\n", pool->count);
    for (uint32_t i = 1; i < pool->count; i++) {
        uint8_t tag = cf_pool_tag(pool, (uint16_t)i);
        if (tag != 0) {
            mb_buf_printf(dump->out, "  %5" PRIu32 " %s ", i, cf_tag_info(tag)->name);
            cf_dump_constant(dump->out, pool, (uint16_t)i);
            mb_buf_put_u1(dump->out, '\n');
        }
    }
}
