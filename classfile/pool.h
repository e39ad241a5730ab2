/* The constant pool (JVMS §4.4): the place and the contents of each entry. */

#ifndef CLASSFILE_POOL_H
#define CLASSFILE_POOL_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "classfile/cursor.h"

enum cf_tag {
#define CF_TAG(value, name, size, form, since) CF_TAG_##name = (value),
#include "classfile/tag.def"
#undef CF_TAG
};

enum cf_form {
    CF_FORM_NONE, /* no such tag */
    CF_FORM_UTF8,
    CF_FORM_NUMBER,
    CF_FORM_WIDE_NUMBER, /* takes two indices (JVMS §4.4.5) */
    CF_FORM_NAME,        /* u2: a Utf8 */
    CF_FORM_MEMBER,      /* u2: Class, u2: NameAndType */
    CF_FORM_NAME_AND_TYPE,
    CF_FORM_METHOD_HANDLE, /* u1: kind, u2: member */
    CF_FORM_DYNAMIC,       /* u2: bootstrap method, u2: NameAndType */
};

struct cf_tag_info {
    const char *name; /* NULL: no such tag */
    uint8_t size;     /* bytes after the tag; for a Utf8 only those of its length */
    uint8_t form;     /* enum cf_form */
    uint8_t since;    /* major version */
};

/* Transparent: a value. Views the class bytes; offsets are owned by the arena. */
struct cf_pool {
    const uint8_t *bytes; /* of the class file */
    uint32_t *offsets;    /* offset of each entry's tag; 0: unused index */
    uint16_t count;       /* constant_pool_count: indices are 1 .. count - 1 */
    size_t end;           /* offset after the last entry */
};

/* The contents of a member reference or an (invoke)dynamic. */
struct cf_ref {
    enum cf_tag tag;
    struct mb_text class_name; /* empty for (invoke)dynamic */
    struct mb_text name;
    struct mb_text descriptor;
};

/* Never NULL. */
const struct cf_tag_info *cf_tag_info(uint8_t tag);

/* in must be at constant_pool_count, and ends after the pool. Checks that entries are complete and
 * tags known; finds check the entries that they refer to. */
MB_MUST_CHECK enum mb_status cf_pool_parse(struct cf_pool *pool, struct mb_arena *arena,
                                           struct cf_cursor *in, struct mb_error *err);

/* Finds: each gives 0, NULL, an empty text or false when the index is out of range or names an
 * entry of another kind. Texts view the class bytes (modified UTF-8, JVMS §4.4.7). */
static inline uint8_t cf_pool_tag(const struct cf_pool *pool, uint16_t index)
{
    return index < pool->count && pool->offsets[index] != 0 ? pool->bytes[pool->offsets[index]] : 0;
}

static inline const uint8_t *cf_pool_entry(const struct cf_pool *pool, uint16_t index,
                                           enum cf_tag tag)
{
    return cf_pool_tag(pool, index) == tag ? pool->bytes + pool->offsets[index] + 1 : NULL;
}

static inline struct mb_text cf_pool_utf8(const struct cf_pool *pool, uint16_t index)
{
    const uint8_t *entry = cf_pool_entry(pool, index, CF_TAG_UTF8);

    return entry != NULL ? (struct mb_text){(const char *)entry + 2, mb_get_u2(entry)}
                         : (struct mb_text){NULL, 0};
}

/* The text that a Class, String, MethodType, Module or Package names. */
struct mb_text cf_pool_name(const struct cf_pool *pool, uint16_t index);
struct mb_text cf_pool_class_name(const struct cf_pool *pool, uint16_t index);
bool cf_pool_ref(const struct cf_pool *pool, uint16_t index, struct cf_ref *ref);

#endif
