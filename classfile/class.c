#include "classfile/class.h"

#include <assert.h>

#define MAGIC 0xCAFEBABEU
#define MEMBER_HEADER_SIZE 6 /* access_flags, name_index, descriptor_index */
#define MAX_CLASS_SIZE ((size_t)INT32_MAX)

struct attribute_row {
    struct mb_text name;
    unsigned places;
};

static const struct attribute_row attribute_rows[] = {
    [CF_ATTRIBUTE_UNKNOWN] = {MB_TEXT_ROW(""), 0},
#define CF_ATTRIBUTE(name, places) [CF_ATTRIBUTE_##name] = {MB_TEXT_ROW(#name), places},
#include "classfile/attribute.def"
#undef CF_ATTRIBUTE
};

enum cf_attribute_kind cf_attribute_kind(struct mb_text name, enum cf_place place)
{
    for (size_t kind = 1; kind < MB_COUNT(attribute_rows); kind++) {
        const struct attribute_row *row = &attribute_rows[kind];
        if ((row->places & (unsigned)place) != 0 && mb_text_equal(row->name, name)) {
            return (enum cf_attribute_kind)kind;
        }
    }
    return CF_ATTRIBUTE_UNKNOWN;
}

struct cf_attributes cf_attributes_at(const struct cf_class *cls, size_t offset,
                                      enum cf_place place)
{
    struct cf_attributes it = {
        .cls = cls,
        .in = {.next = cls->bytes + offset, .end = cls->bytes + cls->size, .base = cls->bytes},
        .place = place,
    };

    assert(offset <= cls->size);
    it.left = cf_read_u2(&it.in);
    return it;
}

struct cf_attributes cf_member_attributes(const struct cf_class *cls,
                                          const struct cf_member *member, enum cf_place place)
{
    return cf_attributes_at(cls, (size_t)member->offset + MEMBER_HEADER_SIZE, place);
}

bool cf_attributes_next(struct cf_attributes *it, struct cf_attribute *attribute)
{
    if (it->left == 0) {
        return false;
    }
    it->left--;
    if (!cf_read_attribute(&it->in, attribute)) {
        return false;
    }
    attribute->kind =
        cf_attribute_kind(cf_pool_utf8(&it->cls->pool, attribute->name_index), it->place);
    return true;
}

static enum mb_status parse_attributes(const struct cf_class *cls, struct cf_cursor *in,
                                       struct cf_member *member, struct mb_error *err)
{
    static const struct mb_text code = MB_TEXT_ROW("Code");
    static const struct mb_text deprecated = MB_TEXT_ROW("Deprecated");
    static const struct mb_text visible = MB_TEXT_ROW("RuntimeVisibleAnnotations");
    static const struct mb_text invisible = MB_TEXT_ROW("RuntimeInvisibleAnnotations");
    uint16_t count = cf_read_u2(in);

    for (uint16_t i = 0; i < count; i++) {
        struct cf_attribute attribute;
        if (!cf_read_attribute(in, &attribute)) {
            return mb_fail(err, MB_BAD_CLASS, attribute.offset,
                           "attribute %u passes the end of the class file", i);
        }
        struct mb_text name = cf_pool_utf8(&cls->pool, attribute.name_index);
        if (name.data == NULL) {
            return mb_fail(err, MB_BAD_CLASS, attribute.offset, "attribute %u has no name", i);
        }
        if (member == NULL) {
            continue;
        }
        if (mb_text_equal(name, code)) {
            if (member->code != 0) {
                return mb_fail(err, MB_BAD_CLASS, attribute.offset, "second Code attribute");
            }
            member->code = (uint32_t)attribute.offset;
        } else if (mb_text_equal(name, deprecated)) {
            member->is_deprecated = true;
        } else if (mb_text_equal(name, visible) || mb_text_equal(name, invisible)) {
            member->has_annotations = true;
        }
    }
    return MB_OK;
}

static enum mb_status parse_member(const struct cf_class *cls, struct cf_cursor *in,
                                   struct cf_member *member, struct mb_error *err)
{
    member->offset = (uint32_t)cf_cursor_offset(in);
    member->access_flags = cf_read_u2(in);
    member->name_index = cf_read_u2(in);
    member->descriptor_index = cf_read_u2(in);
    struct mb_text name = cf_member_name(cls, member);
    struct mb_text descriptor = cf_member_descriptor(cls, member);
    if (name.data == NULL || descriptor.data == NULL) {
        return mb_fail(err, MB_BAD_CLASS, member->offset, "member without a name or descriptor");
    }
    enum mb_status status = parse_attributes(cls, in, member, err);
    if (status != MB_OK) {
        mb_error_in_method(err, name.data, name.size, descriptor.data, descriptor.size);
    }
    member->end = (uint32_t)cf_cursor_offset(in);
    return status;
}

static enum mb_status parse_members(const struct cf_class *cls, struct mb_arena *arena,
                                    struct cf_cursor *in, struct cf_member **members,
                                    uint16_t *count, struct mb_error *err)
{
    size_t offset = cf_cursor_offset(in);

    *count = cf_read_u2(in);
    if (in->overrun || *count > cf_cursor_left(in) / (MEMBER_HEADER_SIZE + 2)) {
        return mb_fail(err, MB_BAD_CLASS, offset, "%u members in %zu bytes", *count,
                       cf_cursor_left(in));
    }
    *members = MB_NEW_ARRAY(arena, struct cf_member, *count);
    if (*members == NULL) {
        return mb_fail_memory(err);
    }
    for (uint16_t i = 0; i < *count; i++) {
        MB_TRY(parse_member(cls, in, &(*members)[i], err));
    }
    return MB_OK;
}

static enum mb_status parse_names(struct cf_class *cls, struct cf_cursor *in, struct mb_error *err)
{
    size_t offset = cf_cursor_offset(in);

    cls->access_flags = cf_read_u2(in);
    cls->this_class = cf_read_u2(in);
    cls->super_class = cf_read_u2(in);
    cls->interface_count = cf_read_u2(in);
    cls->interfaces = cf_read_bytes(in, (size_t)2 * cls->interface_count);
    cls->name = cf_pool_class_name(&cls->pool, cls->this_class);
    cls->super_name = cf_pool_class_name(&cls->pool, cls->super_class);
    if (cls->interfaces == NULL) {
        return mb_fail(err, MB_BAD_CLASS, offset, "the class file ends among its interfaces");
    }
    if (cls->name.data == NULL || (cls->super_class != 0 && cls->super_name.data == NULL)) {
        return mb_fail(err, MB_BAD_CLASS, offset, "%s is not a Class constant",
                       cls->name.data == NULL ? "this_class" : "super_class");
    }
    return MB_OK;
}

static enum mb_status parse_body(struct cf_class *cls, struct mb_arena *arena, struct cf_cursor *in,
                                 struct mb_error *err)
{
    MB_TRY(parse_members(cls, arena, in, &cls->fields, &cls->field_count, err));
    cls->methods_offset = (uint32_t)cf_cursor_offset(in);
    MB_TRY(parse_members(cls, arena, in, &cls->methods, &cls->method_count, err));
    cls->attributes_offset = (uint32_t)cf_cursor_offset(in);
    MB_TRY(parse_attributes(cls, in, NULL, err));
    if (!cf_cursor_done(in)) {
        return mb_fail(err, MB_BAD_CLASS, cf_cursor_offset(in), "%s",
                       in->overrun ? "the class file is cut short"
                                   : "bytes after the end of the class");
    }
    return MB_OK;
}

enum mb_status cf_class_parse(struct cf_class *cls, struct mb_arena *arena, const uint8_t *bytes,
                              size_t size, struct mb_error *err)
{
    *cls = (struct cf_class){.bytes = bytes, .size = size};
    if (size > MAX_CLASS_SIZE) {
        return mb_fail(err, MB_BAD_CLASS, MB_NO_OFFSET, "class file of %zu bytes", size);
    }
    struct cf_cursor in = cf_cursor_over(bytes, size);
    if (cf_read_u4(&in) != MAGIC) {
        return mb_fail(err, MB_BAD_CLASS, 0, "not a class file");
    }
    cls->minor_version = cf_read_u2(&in);
    cls->major_version = cf_read_u2(&in);
    MB_TRY(cf_pool_parse(&cls->pool, arena, &in, err));
    MB_TRY(parse_names(cls, &in, err));
    enum mb_status status = parse_body(cls, arena, &in, err);
    if (status != MB_OK) {
        mb_error_in_class(err, cls->name.data, cls->name.size);
    }
    return status;
}

bool cf_class_has(const struct cf_class *cls, enum cf_attribute_kind kind)
{
    struct cf_attributes it = cf_attributes_at(cls, cls->attributes_offset, CF_IN_CLASS);
    struct cf_attribute attribute;

    while (cf_attributes_next(&it, &attribute)) {
        if (attribute.kind == kind) {
            return true;
        }
    }
    return false;
}

void cf_class_put_without(const struct cf_class *cls, enum cf_attribute_kind kind,
                          struct mb_buf *out)
{
    struct cf_attributes it = cf_attributes_at(cls, cls->attributes_offset, CF_IN_CLASS);
    struct cf_attribute attribute;
    size_t count_offset = out->size + cls->attributes_offset;
    uint16_t count = 0;

    mb_buf_put(out, cls->bytes, cls->attributes_offset);
    mb_buf_put_u2(out, 0);
    while (cf_attributes_next(&it, &attribute)) {
        if (attribute.kind != kind) {
            mb_buf_put(out, cls->bytes + attribute.offset,
                       CF_ATTRIBUTE_HEADER_SIZE + attribute.size);
            count++;
        }
    }
    mb_buf_patch_u2(out, count_offset, count);
}
