#include "classfile/slots.h"

#include <string.h>

bool cf_slot_is_wide(struct cf_slot type)
{
    return type.tag == CF_TYPE_LONG || type.tag == CF_TYPE_DOUBLE;
}

/* Bytes of the field descriptor at the start of text; 0 if absent. */
static size_t descriptor_size(struct mb_text text)
{
    size_t size = 0;

    while (size < text.size && text.data[size] == '[') {
        size++;
    }
    if (size == text.size) {
        return 0;
    }
    if (text.data[size] != 'L') {
        return size + 1;
    }
    const char *end = memchr(text.data + size, ';', text.size - size);
    return end != NULL ? (size_t)(end - text.data) + 1 : 0;
}

struct cf_slot cf_slot_of(struct mb_text descriptor)
{
    bool is_whole = descriptor.size > 0 && descriptor_size(descriptor) == descriptor.size;

    switch (is_whole ? descriptor.data[0] : 'V') {
    case 'V':
        return (struct cf_slot){.tag = CF_TYPE_TOP};
    case 'J':
        return (struct cf_slot){.tag = CF_TYPE_LONG};
    case 'D':
        return (struct cf_slot){.tag = CF_TYPE_DOUBLE};
    case 'F':
        return (struct cf_slot){.tag = CF_TYPE_FLOAT};
    case '[':
        return (struct cf_slot){.tag = CF_TYPE_OBJECT, .name = descriptor};
    case 'L':
        return (struct cf_slot){.tag = CF_TYPE_OBJECT,
                                .name = {descriptor.data + 1, descriptor.size - 2}};
    default:
        return (struct cf_slot){.tag = CF_TYPE_INTEGER};
    }
}

bool cf_slot_take_parameter(struct mb_text *rest, struct cf_slot *type)
{
    size_t size = rest->size > 0 && rest->data[0] != ')' ? descriptor_size(*rest) : 0;

    if (size == 0) {
        return false;
    }
    *type = cf_slot_of((struct mb_text){rest->data, size});
    rest->data += size;
    rest->size -= size;
    return true;
}

struct mb_text cf_parameters_of(struct mb_text descriptor)
{
    return descriptor.size > 0 && descriptor.data[0] == '('
               ? (struct mb_text){descriptor.data + 1, descriptor.size - 1}
               : (struct mb_text){NULL, 0};
}

unsigned cf_parameter_slots(struct mb_text descriptor)
{
    struct mb_text rest = cf_parameters_of(descriptor);
    struct cf_slot type;
    unsigned slots = 0;

    while (cf_slot_take_parameter(&rest, &type)) {
        slots += cf_slot_is_wide(type) ? 2 : 1;
    }
    return slots;
}

struct mb_text cf_return_of(struct mb_text descriptor)
{
    const char *end = descriptor.size > 0 ? memchr(descriptor.data, ')', descriptor.size) : NULL;

    return end != NULL
               ? (struct mb_text){end + 1, descriptor.size - (size_t)(end + 1 - descriptor.data)}
               : (struct mb_text){NULL, 0};
}
