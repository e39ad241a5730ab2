#include "pool_check.h"

static bool entry_is_sound(const struct cf_pool *pool, uint16_t index)
{
    const uint8_t *entry = pool->bytes + pool->offsets[index] + 1;
    struct cf_ref ref;

    switch ((enum cf_form)cf_tag_info(entry[-1])->form) {
    case CF_FORM_NAME:
        return cf_pool_tag(pool, mb_get_u2(entry)) == CF_TAG_UTF8;
    case CF_FORM_MEMBER:
    case CF_FORM_DYNAMIC:
        return cf_pool_ref(pool, index, &ref);
    case CF_FORM_NAME_AND_TYPE:
        return cf_pool_tag(pool, mb_get_u2(entry)) == CF_TAG_UTF8 &&
               cf_pool_tag(pool, mb_get_u2(entry + 2)) == CF_TAG_UTF8;
    case CF_FORM_METHOD_HANDLE:
        return cf_tag_info(cf_pool_tag(pool, mb_get_u2(entry + 1)))->form == CF_FORM_MEMBER;
    case CF_FORM_NONE:
    case CF_FORM_UTF8:
    case CF_FORM_NUMBER:
    case CF_FORM_WIDE_NUMBER:
        break;
    }
    return true;
}

enum mb_status pool_check(const struct cf_pool *pool, struct mb_error *err)
{
    for (uint16_t index = 1; index < pool->count; index++) {
        if (pool->offsets[index] != 0 && !entry_is_sound(pool, index)) {
            return mb_fail(err, MB_BAD_CLASS, pool->offsets[index],
                           "constant %u refers to an entry of another kind", index);
        }
    }
    return MB_OK;
}
