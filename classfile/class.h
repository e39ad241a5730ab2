/* A class file (JVMS §4.1) as views into its bytes: where the parts are, not copies of them. */

#ifndef CLASSFILE_CLASS_H
#define CLASSFILE_CLASS_H

#include "classfile/pool.h"

enum cf_access { /* JVMS tables 4.1-B, 4.5-A, 4.6-A; the ones we ask for */
                 CF_ACC_PUBLIC = 0x0001,
                 CF_ACC_PRIVATE = 0x0002,
                 CF_ACC_PROTECTED = 0x0004,
                 CF_ACC_STATIC = 0x0008,
                 CF_ACC_FINAL = 0x0010,
                 CF_ACC_SYNCHRONIZED = 0x0020, /* methods; of classes: ACC_SUPER */
                 CF_ACC_BRIDGE = 0x0040,
                 CF_ACC_VARARGS = 0x0080,
                 CF_ACC_NATIVE = 0x0100,
                 CF_ACC_INTERFACE = 0x0200,
                 CF_ACC_ABSTRACT = 0x0400,
                 CF_ACC_STRICT = 0x0800,
                 CF_ACC_SYNTHETIC = 0x1000,
                 CF_ACC_ANNOTATION = 0x2000,
                 CF_ACC_ENUM = 0x4000,
                 CF_ACC_MODULE = 0x8000,
};

/* Major versions where the rules change. */
#define CF_VERSION_STACK_MAPS 50 /* StackMapTable counts (JVMS §4.10.1) */

enum cf_place {
    CF_IN_CLASS = 1,
    CF_IN_FIELD = 2,
    CF_IN_METHOD = 4,
    CF_IN_CODE = 8,
};

enum cf_attribute_kind {
    CF_ATTRIBUTE_UNKNOWN,
#define CF_ATTRIBUTE(name, places) CF_ATTRIBUTE_##name,
#include "classfile/attribute.def"
#undef CF_ATTRIBUTE
};

struct cf_attribute {
    enum cf_attribute_kind kind;
    uint16_t name_index;
    uint32_t size;        /* attribute_length */
    const uint8_t *bytes; /* info */
    size_t offset;        /* of attribute_name_index, in the class file */
};

#define CF_ATTRIBUTE_HEADER_SIZE 6U /* attribute_name_index, attribute_length */

/* The next attribute, all but its kind; false and overrun if it is cut off. */
static inline bool cf_read_attribute(struct cf_cursor *in, struct cf_attribute *attribute)
{
    attribute->offset = cf_cursor_offset(in);
    const uint8_t *header = cf_read_bytes(in, CF_ATTRIBUTE_HEADER_SIZE);
    if (header == NULL) {
        return false;
    }
    attribute->name_index = mb_get_u2(header);
    attribute->size = mb_get_u4(header + 2);
    attribute->bytes = cf_read_bytes(in, attribute->size);
    return attribute->bytes != NULL;
}

/* A field or a method (JVMS §4.5, §4.6). */
struct cf_member {
    uint16_t access_flags;
    uint16_t name_index;
    uint16_t descriptor_index;
    bool is_deprecated;   /* has a Deprecated attribute */
    bool has_annotations; /* whether a running program sees them or not */
    uint32_t offset;      /* of access_flags */
    uint32_t end;         /* after the last attribute */
    uint32_t code;        /* of the Code attribute's attribute_name_index; 0 without Code */
};

/* Views the bytes, which must outlive it; arrays are owned by the arena. */
struct cf_class {
    const uint8_t *bytes;
    size_t size;
    uint16_t minor_version;
    uint16_t major_version;
    uint16_t access_flags;
    uint16_t this_class;
    uint16_t super_class; /* 0 for java/lang/Object and module-info */
    uint16_t interface_count;
    uint16_t field_count;
    uint16_t method_count;
    const uint8_t *interfaces; /* u2 Class indices */
    struct cf_member *fields;
    struct cf_member *methods;
    uint32_t methods_offset;    /* of methods_count */
    uint32_t attributes_offset; /* of the class's attributes_count */
    struct mb_text name;        /* internal form */
    struct mb_text super_name;  /* may be empty */
    struct cf_pool pool;
};

/* Iterates over the attributes of a table whose lengths cf_class_parse or cf_code_parse has
 * checked. */
struct cf_attributes {
    const struct cf_class *cls;
    struct cf_cursor in;
    enum cf_place place;
    uint16_t left;
};

/* Checks that every structure down to attribute headers is complete and that no bytes follow; names
 * and descriptors are Utf8. Errors name the class and, inside a method, the method. size is limited
 * to 2^31 - 1 bytes. */
MB_MUST_CHECK enum mb_status cf_class_parse(struct cf_class *cls, struct mb_arena *arena,
                                            const uint8_t *bytes, size_t size,
                                            struct mb_error *err);

static inline struct mb_text cf_member_name(const struct cf_class *cls,
                                            const struct cf_member *member)
{
    return cf_pool_utf8(&cls->pool, member->name_index);
}

static inline struct mb_text cf_member_descriptor(const struct cf_class *cls,
                                                  const struct cf_member *member)
{
    return cf_pool_utf8(&cls->pool, member->descriptor_index);
}

/* offset is that of an attributes_count inside the class; place names its owner. */
struct cf_attributes cf_attributes_at(const struct cf_class *cls, size_t offset,
                                      enum cf_place place);
/* The attributes of a member: their count is 6 bytes after its offset. */
struct cf_attributes cf_member_attributes(const struct cf_class *cls,
                                          const struct cf_member *member, enum cf_place place);
bool cf_attributes_next(struct cf_attributes *it, struct cf_attribute *attribute);

/* True if the class itself has an attribute of the kind. */
bool cf_class_has(const struct cf_class *cls, enum cf_attribute_kind kind);
/* Append the class without its own attributes of the kind. */
void cf_class_put_without(const struct cf_class *cls, enum cf_attribute_kind kind,
                          struct mb_buf *out);

/* The kind that name has in this place; CF_ATTRIBUTE_UNKNOWN for all others. */
enum cf_attribute_kind cf_attribute_kind(struct mb_text name, enum cf_place place);

#endif
