#include "class_builder.h"

#include "classfile/class.h"

#include <stdlib.h>
#include <string.h>

/* Counts the entry that is about to be put. */
static uint16_t next_index(struct class_builder *builder, uint8_t tag)
{
    mb_buf_put_u1(&builder->pool, tag);
    return builder->pool_count++;
}

uint16_t class_builder_add_utf8(struct class_builder *builder, const char *text)
{
    uint16_t index = next_index(builder, CF_TAG_UTF8);

    mb_buf_put_u2(&builder->pool, (unsigned)strlen(text));
    mb_buf_put_string(&builder->pool, text);
    return index;
}

uint16_t class_builder_add_class(struct class_builder *builder, const char *name)
{
    uint16_t name_index = class_builder_add_utf8(builder, name);
    uint16_t index = next_index(builder, CF_TAG_CLASS);

    mb_buf_put_u2(&builder->pool, name_index);
    return index;
}

uint16_t class_builder_add_integer(struct class_builder *builder, int32_t value)
{
    uint16_t index = next_index(builder, CF_TAG_INTEGER);

    mb_buf_put_u4(&builder->pool, (uint32_t)value);
    return index;
}

uint16_t class_builder_add_name_and_type(struct class_builder *builder, const char *name,
                                         const char *descriptor)
{
    uint16_t name_index = class_builder_add_utf8(builder, name);
    uint16_t descriptor_index = class_builder_add_utf8(builder, descriptor);
    uint16_t index = next_index(builder, CF_TAG_NAME_AND_TYPE);

    mb_buf_put_u2(&builder->pool, name_index);
    mb_buf_put_u2(&builder->pool, descriptor_index);
    return index;
}

uint16_t class_builder_add_raw(struct class_builder *builder, uint8_t tag, const void *bytes,
                               size_t size)
{
    uint16_t index = next_index(builder, tag);

    mb_buf_put(&builder->pool, bytes, size);
    if (tag == CF_TAG_LONG || tag == CF_TAG_DOUBLE) { /* JVMS §4.4.5: two indices */
        builder->pool_count++;
    }
    return index;
}

uint16_t class_builder_add_member(struct class_builder *builder, uint8_t tag,
                                  const char *class_name, const char *name, const char *descriptor)
{
    uint16_t class_index = class_builder_add_class(builder, class_name);
    uint16_t name_and_type = class_builder_add_name_and_type(builder, name, descriptor);
    uint16_t index = next_index(builder, tag);

    mb_buf_put_u2(&builder->pool, class_index);
    mb_buf_put_u2(&builder->pool, name_and_type);
    return index;
}

uint16_t class_builder_add_method_ref(struct class_builder *builder, const char *class_name,
                                      const char *name, const char *descriptor)
{
    return class_builder_add_member(builder, CF_TAG_METHODREF, class_name, name, descriptor);
}

void class_builder_init(struct class_builder *builder, const char *name, const char *super_name)
{
    *builder = (struct class_builder){
        .pool_count = 1, .access_flags = CF_ACC_PUBLIC | CF_ACC_SYNCHRONIZED, .major_version = 52};
    builder->this_class = class_builder_add_class(builder, name);
    builder->super_class = super_name != NULL ? class_builder_add_class(builder, super_name) : 0;
}

/* A length that is patched when what it counts has been put. */
static size_t begin_attribute(struct class_builder *builder, struct mb_buf *out, const char *name)
{
    mb_buf_put_u2(out, class_builder_add_utf8(builder, name));
    mb_buf_put_u4(out, 0);
    return out->size;
}

static void end_attribute(struct mb_buf *out, size_t start)
{
    mb_buf_patch_u4(out, start - 4, (uint32_t)(out->size - start));
}

static void put_attribute(struct class_builder *builder, struct mb_buf *out,
                          const struct built_attribute *attribute)
{
    size_t start = begin_attribute(builder, out, attribute->name);

    mb_buf_put(out, attribute->bytes, attribute->size);
    end_attribute(out, start);
}

static void put_code(struct class_builder *builder, const struct built_method *method)
{
    struct mb_buf *out = &builder->methods;
    size_t start = begin_attribute(builder, out, "Code");

    mb_buf_put_u2(out, method->max_stack);
    mb_buf_put_u2(out, method->max_locals);
    mb_buf_put_u4(out, (uint32_t)method->code_size);
    mb_buf_put(out, method->code, method->code_size);
    mb_buf_put_u2(out, (unsigned)method->handler_count);
    for (size_t i = 0; i < method->handler_count * 4; i++) {
        mb_buf_put_u2(out, method->handlers[i / 4][i % 4]);
    }
    mb_buf_put_u2(out, (unsigned)method->attribute_count);
    for (size_t i = 0; i < method->attribute_count; i++) {
        put_attribute(builder, out, &method->attributes[i]);
    }
    end_attribute(out, start);
}

void class_builder_add_interface(struct class_builder *builder, const char *name)
{
    mb_buf_put_u2(&builder->interfaces, class_builder_add_class(builder, name));
}

void class_builder_add_attribute(struct class_builder *builder,
                                 const struct built_attribute *attribute)
{
    put_attribute(builder, &builder->attributes, attribute);
    builder->attribute_count++;
}

void class_builder_add_method(struct class_builder *builder, const struct built_method *method)
{
    struct mb_buf *out = &builder->methods;

    mb_buf_put_u2(out, method->access_flags);
    mb_buf_put_u2(out, class_builder_add_utf8(builder, method->name));
    mb_buf_put_u2(out, class_builder_add_utf8(builder, method->descriptor));
    mb_buf_put_u2(out, (unsigned)(method->code != NULL) + (method->beside_code != NULL));
    if (method->code != NULL) {
        put_code(builder, method);
    }
    if (method->beside_code != NULL) {
        put_attribute(builder, out, method->beside_code);
    }
    builder->method_count++;
}

void class_builder_write(const struct class_builder *builder, struct mb_buf *out)
{
    mb_buf_put_u4(out, 0xcafebabe);
    mb_buf_put_u2(out, 0);
    mb_buf_put_u2(out, builder->major_version);
    mb_buf_put_u2(out, builder->pool_count);
    mb_buf_put(out, builder->pool.bytes, builder->pool.size);
    mb_buf_put_u2(out, builder->access_flags);
    mb_buf_put_u2(out, builder->this_class);
    mb_buf_put_u2(out, builder->super_class);
    mb_buf_put_u2(out, (unsigned)(builder->interfaces.size / 2));
    mb_buf_put(out, builder->interfaces.bytes, builder->interfaces.size);
    mb_buf_put_u2(out, 0); /* fields */
    mb_buf_put_u2(out, builder->method_count);
    mb_buf_put(out, builder->methods.bytes, builder->methods.size);
    mb_buf_put_u2(out, builder->attribute_count);
    mb_buf_put(out, builder->attributes.bytes, builder->attributes.size);
    if (builder->pool.failed || builder->interfaces.failed || builder->methods.failed ||
        builder->attributes.failed || out->failed) {
        abort();
    }
}

void class_builder_finish(struct class_builder *builder)
{
    mb_buf_finish(&builder->pool);
    mb_buf_finish(&builder->interfaces);
    mb_buf_finish(&builder->methods);
    mb_buf_finish(&builder->attributes);
}
