/* Valid classes in memory, field by field, for tests that then break one. Running out of memory
 * aborts. */

#ifndef SUPPORT_CLASS_BUILDER_H
#define SUPPORT_CLASS_BUILDER_H

#include "base/buf.h"

/* Zeroed memory before class_builder_init. */
struct class_builder {
    struct mb_buf pool;
    struct mb_buf interfaces;
    struct mb_buf methods;
    struct mb_buf attributes;
    uint16_t pool_count;
    uint16_t method_count;
    uint16_t attribute_count;
    uint16_t this_class;
    uint16_t super_class; /* 0: none, as java/lang/Object */
    uint16_t access_flags;
    uint16_t major_version;
};

/* An attribute of the class, of a method or of Code. */
struct built_attribute {
    const char *name;
    const uint8_t *bytes;
    size_t size;
};

struct built_method {
    const char *name;
    const char *descriptor;
    uint16_t access_flags;
    uint16_t max_stack;
    uint16_t max_locals;
    const uint8_t *code; /* NULL: no Code attribute */
    size_t code_size;
    const uint16_t (*handlers)[4]; /* start_pc, end_pc, handler_pc, catch_type */
    size_t handler_count;
    const struct built_attribute *attributes; /* of Code */
    size_t attribute_count;
    const struct built_attribute *beside_code; /* one more, of the method; NULL: none */
};

/* A public class of version 52. super_name may be NULL. */
void class_builder_init(struct class_builder *builder, const char *name, const char *super_name);

/* Pool indices; entries are appended in the order of the calls, never shared. */
uint16_t class_builder_add_utf8(struct class_builder *builder, const char *text);
uint16_t class_builder_add_class(struct class_builder *builder, const char *name);
uint16_t class_builder_add_integer(struct class_builder *builder, int32_t value);
uint16_t class_builder_add_name_and_type(struct class_builder *builder, const char *name,
                                         const char *descriptor);

/* An entry of any tag (enum cf_tag) with these bytes behind it. */
uint16_t class_builder_add_raw(struct class_builder *builder, uint8_t tag, const void *bytes,
                               size_t size);

/* tag: FIELDREF, METHODREF or INTERFACE_METHODREF. */
uint16_t class_builder_add_member(struct class_builder *builder, uint8_t tag,
                                  const char *class_name, const char *name, const char *descriptor);
uint16_t class_builder_add_method_ref(struct class_builder *builder, const char *class_name,
                                      const char *name, const char *descriptor);

void class_builder_add_interface(struct class_builder *builder, const char *name);
void class_builder_add_method(struct class_builder *builder, const struct built_method *method);

/* Of the class. */
void class_builder_add_attribute(struct class_builder *builder,
                                 const struct built_attribute *attribute);

/* The whole class file, appended to out. */
void class_builder_write(const struct class_builder *builder, struct mb_buf *out);
void class_builder_finish(struct class_builder *builder);

#endif
