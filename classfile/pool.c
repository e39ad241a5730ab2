#include "classfile/pool.h"

static const struct cf_tag_info infos[] = {
#define CF_TAG(value, name, size, form, since) [value] = {#name, size, CF_FORM_##form, since},
#include "classfile/tag.def"
#undef CF_TAG
};

static const struct cf_tag_info no_info = {0};

const struct cf_tag_info *cf_tag_info(uint8_t tag)
{
    return tag < MB_COUNT(infos) ? &infos[tag] : &no_info;
}

#define MIN_ENTRY_SIZE 3U /* a tag and an index */
#define PAIR_SIZE 5U      /* a tag and two indices: most entries that are not Utf8 */

/* Bytes of an entry, of a Utf8 those before its text; 0 for an unknown tag. */
static const uint8_t entry_sizes[256] = {
#define CF_TAG(value, name, size, form, since) [value] = 1 + (size),
#include "classfile/tag.def"
#undef CF_TAG
};

/* Report that the entry at offset is truncated or, if offset is past the end, the one before it. */
static enum mb_status cut_off(const struct cf_pool *pool, unsigned index, size_t offset, size_t end,
                              struct mb_error *err)
{
    if (offset > end) {
        do {
            offset = pool->offsets[--index];
        } while (offset == 0);
    }
    return mb_fail(err, MB_BAD_CLASS, offset, "constant %u passes the end of the class file",
                   index);
}

/* Half of a parser's time is waiting here for the place of the next entry. So branches, which are
 * predicted, choose between the common sizes, and bounds are checked once per entry: by the next
 * one. */
static enum mb_status parse_entries(struct cf_pool *pool, size_t offset, size_t end,
                                    struct mb_error *err)
{
    for (unsigned index = 1; index < pool->count; index++) {
        if (MB_UNLIKELY(offset + MIN_ENTRY_SIZE > end)) {
            return cut_off(pool, index, offset, end, err);
        }
        uint8_t tag = pool->bytes[offset];
        pool->offsets[index] = (uint32_t)offset;
        if (tag == CF_TAG_UTF8) {
            offset += MIN_ENTRY_SIZE + mb_get_u2(pool->bytes + offset + 1);
            continue;
        }
        if (entry_sizes[tag] == PAIR_SIZE) {
            offset += PAIR_SIZE;
            continue;
        }
        if (MB_UNLIKELY(entry_sizes[tag] == 0)) {
            return mb_fail(err, MB_BAD_CLASS, offset, "constant %u has the unknown tag %u", index,
                           tag);
        }
        if (tag == CF_TAG_LONG || tag == CF_TAG_DOUBLE) { /* JVMS §4.4.5: two indices */
            if (++index == pool->count) {
                return mb_fail(err, MB_BAD_CLASS, offset, "constant %u has no second half",
                               index - 1);
            }
            pool->offsets[index] = 0;
        }
        offset += entry_sizes[tag];
    }
    pool->end = offset;
    return offset <= end ? MB_OK : cut_off(pool, pool->count, offset, end, err);
}

enum mb_status cf_pool_parse(struct cf_pool *pool, struct mb_arena *arena, struct cf_cursor *in,
                             struct mb_error *err)
{
    size_t offset = cf_cursor_offset(in);

    *pool = (struct cf_pool){.bytes = in->base, .count = cf_read_u2(in)};
    if (pool->count == 0 || (size_t)(pool->count - 1) > cf_cursor_left(in)) {
        return mb_fail(err, MB_BAD_CLASS, offset, "constant pool of %u entries in %zu bytes",
                       pool->count, cf_cursor_left(in));
    }
    pool->offsets = mb_arena_alloc(arena, pool->count * sizeof(pool->offsets[0]));
    if (pool->offsets == NULL) {
        return mb_fail_memory(err);
    }
    pool->offsets[0] = 0;
    MB_TRY(parse_entries(pool, cf_cursor_offset(in), (size_t)(in->end - in->base), err));
    (void)cf_read_bytes(in, pool->end - cf_cursor_offset(in));
    return MB_OK;
}

struct mb_text cf_pool_name(const struct cf_pool *pool, uint16_t index)
{
    if (cf_tag_info(cf_pool_tag(pool, index))->form != CF_FORM_NAME) {
        return (struct mb_text){NULL, 0};
    }
    return cf_pool_utf8(pool, mb_get_u2(pool->bytes + pool->offsets[index] + 1));
}

struct mb_text cf_pool_class_name(const struct cf_pool *pool, uint16_t index)
{
    return cf_pool_tag(pool, index) == CF_TAG_CLASS ? cf_pool_name(pool, index)
                                                    : (struct mb_text){NULL, 0};
}

bool cf_pool_ref(const struct cf_pool *pool, uint16_t index, struct cf_ref *ref)
{
    uint8_t tag = cf_pool_tag(pool, index);
    uint8_t form = cf_tag_info(tag)->form;

    if (form != CF_FORM_MEMBER && form != CF_FORM_DYNAMIC) {
        return false;
    }
    const uint8_t *entry = pool->bytes + pool->offsets[index] + 1;
    const uint8_t *pair = cf_pool_entry(pool, mb_get_u2(entry + 2), CF_TAG_NAME_AND_TYPE);
    if (pair == NULL) {
        return false;
    }
    *ref = (struct cf_ref){
        .tag = (enum cf_tag)tag,
        .name = cf_pool_utf8(pool, mb_get_u2(pair)),
        .descriptor = cf_pool_utf8(pool, mb_get_u2(pair + 2)),
    };
    if (form == CF_FORM_MEMBER) {
        ref->class_name = cf_pool_class_name(pool, mb_get_u2(entry));
    }
    return ref->name.data != NULL && ref->descriptor.data != NULL &&
           (form == CF_FORM_DYNAMIC || ref->class_name.data != NULL);
}
