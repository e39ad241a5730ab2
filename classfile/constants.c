#include "classfile/constants.h"

void cf_constants_start(struct cf_constants *constants, const struct cf_pool *pool)
{
    mb_buf_reset(&constants->bytes);
    constants->count = pool->count;
    constants->is_full = false;
}

void cf_constants_finish(struct cf_constants *constants)
{
    mb_buf_finish(&constants->bytes);
}

uint32_t cf_constants_room(const struct cf_constants *constants)
{
    return CF_MAX_POOL_COUNT - constants->count;
}

/* Take the next index and put its tag; 0 when the pool is full. */
static uint16_t take_index(struct cf_constants *constants, enum cf_tag tag)
{
    if (constants->is_full || cf_constants_room(constants) == 0) {
        constants->is_full = true;
        return 0;
    }
    mb_buf_put_u1(&constants->bytes, tag);
    return (uint16_t)constants->count++;
}

/* Add an entry of one or two indices; an index of 0 means that the pool was full. */
static uint16_t add_pair(struct cf_constants *constants, enum cf_tag tag, uint16_t first,
                         uint16_t second)
{
    uint16_t index = take_index(constants, tag);

    if (index != 0) {
        mb_buf_put_u2(&constants->bytes, first);
        mb_buf_put_u2(&constants->bytes, second);
    }
    return index;
}

uint16_t cf_constants_add_utf8(struct cf_constants *constants, struct mb_text text)
{
    uint16_t index = take_index(constants, CF_TAG_UTF8);

    if (index != 0) {
        mb_buf_put_u2(&constants->bytes, (unsigned)text.size);
        mb_buf_put(&constants->bytes, text.data, text.size);
    }
    return index;
}

uint16_t cf_constants_add_integer(struct cf_constants *constants, uint32_t value)
{
    uint16_t index = take_index(constants, CF_TAG_INTEGER);

    if (index != 0) {
        mb_buf_put_u4(&constants->bytes, value);
    }
    return index;
}

uint16_t cf_constants_add_class(struct cf_constants *constants, struct mb_text name)
{
    uint16_t name_index = cf_constants_add_utf8(constants, name);
    uint16_t index = take_index(constants, CF_TAG_CLASS);

    if (index != 0) {
        mb_buf_put_u2(&constants->bytes, name_index);
    }
    return index;
}

uint16_t cf_constants_add_member(struct cf_constants *constants, enum cf_tag tag,
                                 uint16_t class_index, uint16_t name_index,
                                 uint16_t descriptor_index)
{
    uint16_t pair = add_pair(constants, CF_TAG_NAME_AND_TYPE, name_index, descriptor_index);

    return add_pair(constants, tag, class_index, pair);
}
