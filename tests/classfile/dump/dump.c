#include "dump.h"

#include "dump_code.h"
#include "dump_pool.h"

/* --- attributes outside of code --- */

static void put_named(struct mb_buf *out, const char *what, struct mb_text text)
{
    mb_buf_put_string(out, what);
    cf_dump_text(out, text);
    mb_buf_put_u1(out, '\n');
}

/* List the single index of such an attribute. */
static struct mb_text text_at(const struct cf_class *cls, const struct cf_attribute *attribute)
{
    uint16_t index = attribute->size == 2 ? mb_get_u2(attribute->bytes) : 0;
    struct mb_text name = cf_pool_name(&cls->pool, index);

    return name.data != NULL ? name : cf_pool_utf8(&cls->pool, index);
}

static void put_constant_value(const struct cf_dump *dump, const struct cf_attribute *attribute)
{
    mb_buf_put_string(dump->out, "  ConstantValue ");
    cf_dump_constant(dump->out, &dump->cls->pool,
                     attribute->size == 2 ? mb_get_u2(attribute->bytes) : 0);
    mb_buf_put_u1(dump->out, '\n');
}

static void put_attribute(const struct cf_dump *dump, const struct cf_attribute *attribute)
{
    switch (attribute->kind) {
    case CF_ATTRIBUTE_SourceFile:
        put_named(dump->out, "  SourceFile ", text_at(dump->cls, attribute));
        return;
    case CF_ATTRIBUTE_Signature:
        put_named(dump->out, "  Signature ", text_at(dump->cls, attribute));
        return;
    case CF_ATTRIBUTE_ConstantValue:
        put_constant_value(dump, attribute);
        return;
    default:
        mb_buf_put_string(dump->out, "  ");
        cf_dump_text(dump->out, cf_pool_utf8(&dump->cls->pool, attribute->name_index));
        mb_buf_printf(dump->out, " size %u\n", attribute->size);
        return;
    }
}

static enum mb_status put_attributes(const struct cf_dump *dump, struct cf_attributes it,
                                     const struct cf_member *method)
{
    struct cf_attribute attribute;

    while (cf_attributes_next(&it, &attribute)) {
        if (attribute.kind == CF_ATTRIBUTE_Code && !dump->options->without_code) {
            MB_TRY(cf_dump_code(dump, method));
        } else {
            put_attribute(dump, &attribute);
        }
    }
    return MB_OK;
}

/* --- class and members --- */

static void put_header(const struct cf_dump *dump)
{
    const struct cf_class *cls = dump->cls;
    struct mb_buf *out = dump->out;

    put_named(out, "class ", cls->name);
    if (cls->super_name.size > 0) {
        put_named(out, "  extends ", cls->super_name);
    }
    for (uint16_t i = 0; i < cls->interface_count; i++) {
        put_named(out, "  implements ",
                  cf_pool_class_name(&cls->pool, mb_get_u2(cls->interfaces + (size_t)i * 2)));
    }
    mb_buf_printf(out, "  version %u.%u\n  flags", cls->major_version, cls->minor_version);
    cf_dump_flags(out, cls->access_flags, CF_IN_CLASS);
    mb_buf_put_u1(out, '\n');
}

static enum mb_status put_member(const struct cf_dump *dump, const struct cf_member *member,
                                 enum cf_place place)
{
    struct mb_buf *out = dump->out;

    mb_buf_put_string(out, place == CF_IN_FIELD ? "\nfield" : "\nmethod");
    cf_dump_flags(out, member->access_flags, place);
    mb_buf_put_u1(out, ' ');
    cf_dump_text(out, cf_member_name(dump->cls, member));
    mb_buf_put_u1(out, ' ');
    cf_dump_text(out, cf_member_descriptor(dump->cls, member));
    mb_buf_put_u1(out, '\n');
    return put_attributes(dump, cf_member_attributes(dump->cls, member, place), member);
}

static bool is_wanted(const struct cf_dump *dump, const struct cf_member *method)
{
    const struct cf_dump_options *options = dump->options;

    return (options->method.size == 0 ||
            mb_text_equal(options->method, cf_member_name(dump->cls, method))) &&
           (options->descriptor.size == 0 ||
            mb_text_equal(options->descriptor, cf_member_descriptor(dump->cls, method)));
}

/* Start a line with the name of the class, unless listed already. */
static enum mb_status put_methods(const struct cf_dump *dump, bool is_named)
{
    for (uint16_t i = 0; i < dump->cls->method_count; i++) {
        if (!is_wanted(dump, &dump->cls->methods[i])) {
            continue;
        }
        if (!is_named) {
            put_named(dump->out, "class ", dump->cls->name);
            is_named = true;
        }
        MB_TRY(put_member(dump, &dump->cls->methods[i], CF_IN_METHOD));
    }
    return mb_buf_check(dump->out, dump->err);
}

enum mb_status cf_dump_class(const struct cf_class *cls, const struct cf_dump_options *options,
                             struct mb_buf *out, struct mb_error *err)
{
    struct cf_dump dump = {.cls = cls, .options = options, .out = out, .err = err};

    if (options->method.size > 0 || options->descriptor.size > 0) {
        return put_methods(&dump, false);
    }
    put_header(&dump);
    MB_TRY(put_attributes(&dump, cf_attributes_at(cls, cls->attributes_offset, CF_IN_CLASS), NULL));
    if (options->with_pool) {
        cf_dump_pool(&dump);
    }
    for (uint16_t i = 0; i < cls->field_count; i++) {
        MB_TRY(put_member(&dump, &cls->fields[i], CF_IN_FIELD));
    }
    return put_methods(&dump, true);
}
