#include "classfile/code.h"

#include <assert.h>

static enum mb_status check_handlers(const struct cf_class *cls, const struct cf_code *code,
                                     struct mb_error *err)
{
    for (uint16_t i = 0; i < code->handler_count; i++) {
        const uint8_t *row = code->handlers + (size_t)i * CF_HANDLER_SIZE;
        unsigned start_pc = mb_get_u2(row);
        unsigned end_pc = mb_get_u2(row + 2);
        unsigned handler_pc = mb_get_u2(row + 4);
        if (start_pc >= end_pc || end_pc > code->size || handler_pc >= code->size) {
            return mb_fail(err, MB_BAD_CLASS, (size_t)(row - cls->bytes),
                           "handler %u covers [%u, %u) at %u of %u bytes of code", i, start_pc,
                           end_pc, handler_pc, code->size);
        }
    }
    return MB_OK;
}

static enum mb_status parse_header(struct cf_code *code, struct cf_cursor *in, struct mb_error *err)
{
    const uint8_t *header = cf_read_bytes(in, 8);

    code->offset = cf_cursor_offset(in);
    code->size = header != NULL ? mb_get_u4(header + 4) : 0;
    if (code->size == 0 || code->size > CF_MAX_CODE_SIZE) {
        return mb_fail(err, MB_BAD_CLASS, code->offset, "code of %u bytes", code->size);
    }
    code->max_stack = mb_get_u2(header);
    code->max_locals = mb_get_u2(header + 2);
    code->bytes = cf_read_bytes(in, code->size);
    code->handler_count = cf_read_u2(in);
    code->handlers = cf_read_bytes(in, (size_t)code->handler_count * CF_HANDLER_SIZE);
    if (code->bytes == NULL || code->handlers == NULL) {
        return mb_fail(err, MB_BAD_CLASS, code->offset, "code passes the end of its attribute");
    }
    return MB_OK;
}

static enum mb_status check_attributes(const struct cf_class *cls, struct cf_code *code,
                                       struct cf_cursor *in, struct mb_error *err)
{
    code->attributes_offset = cf_cursor_offset(in);
    code->attribute_count = cf_read_u2(in);
    for (uint16_t i = 0; i < code->attribute_count; i++) {
        struct cf_attribute attribute;
        if (!cf_read_attribute(in, &attribute) ||
            cf_pool_utf8(&cls->pool, attribute.name_index).data == NULL) {
            return mb_fail(err, MB_BAD_CLASS, attribute.offset,
                           "attribute %u of the code passes its end or has no name", i);
        }
    }
    code->end = cf_cursor_offset(in);
    if (!cf_cursor_done(in)) {
        return mb_fail(err, MB_BAD_CLASS, code->end, "code attribute of another size than it says");
    }
    return MB_OK;
}

static enum mb_status parse_code(struct cf_code *code, const struct cf_class *cls,
                                 const struct cf_member *method, struct mb_error *err)
{
    struct cf_cursor whole = cf_cursor_over(cls->bytes, cls->size);

    (void)cf_read_bytes(&whole, (size_t)method->code + 2);
    struct cf_cursor in = cf_read_slice(&whole, cf_read_u4(&whole));
    MB_TRY(parse_header(code, &in, err));
    MB_TRY(check_handlers(cls, code, err));
    return check_attributes(cls, code, &in, err);
}

enum mb_status cf_code_parse(struct cf_code *code, const struct cf_class *cls,
                             const struct cf_member *method, struct mb_error *err)
{
    assert(method->code != 0);
    enum mb_status status = parse_code(code, cls, method, err);
    if (status != MB_OK) {
        cf_error_in_method(err, cls, method);
    }
    return status;
}

struct cf_attributes cf_code_attributes(const struct cf_class *cls, const struct cf_code *code)
{
    return cf_attributes_at(cls, code->attributes_offset, CF_IN_CODE);
}

void cf_error_in_method(struct mb_error *err, const struct cf_class *cls,
                        const struct cf_member *method)
{
    struct mb_text name = cf_member_name(cls, method);
    struct mb_text descriptor = cf_member_descriptor(cls, method);

    mb_error_in_method(err, name.data, name.size, descriptor.data, descriptor.size);
    mb_error_in_class(err, cls->name.data, cls->name.size);
}
