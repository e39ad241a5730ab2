/* Descriptors as slots. */

#include "classfile/slots.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

struct type_case {
    const char *descriptor;
    uint8_t tag;
    const char *name; /* of an object */
};

static const struct type_case type_cases[] = {
    {"I", CF_TYPE_INTEGER, NULL},
    {"Z", CF_TYPE_INTEGER, NULL},
    {"B", CF_TYPE_INTEGER, NULL},
    {"C", CF_TYPE_INTEGER, NULL},
    {"S", CF_TYPE_INTEGER, NULL},
    {"F", CF_TYPE_FLOAT, NULL},
    {"J", CF_TYPE_LONG, NULL},
    {"D", CF_TYPE_DOUBLE, NULL},
    {"V", CF_TYPE_TOP, NULL},
    {"", CF_TYPE_TOP, NULL},
    {"La/B;", CF_TYPE_OBJECT, "a/B"},
    {"[J", CF_TYPE_OBJECT, "[J"},
    {"[[La/B;", CF_TYPE_OBJECT, "[[La/B;"},
    {"La/B", CF_TYPE_TOP, NULL},
    {"[", CF_TYPE_TOP, NULL},
    {"II", CF_TYPE_TOP, NULL},
    {"La/B;I", CF_TYPE_TOP, NULL},
};

ParameterizedTestParameters(slots, types)
{
    static size_t rows[MB_COUNT(type_cases)];

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        rows[i] = i;
    }
    return cr_make_param_array(size_t, rows, MB_COUNT(rows));
}

ParameterizedTest(size_t *row, slots, types)
{
    const struct type_case *c = &type_cases[*row];
    struct cf_slot slot = cf_slot_of(mb_text_of(c->descriptor));

    cr_expect(eq(int, slot.tag, c->tag), "%s", c->descriptor);
    cr_expect(c->name == NULL || mb_text_is(slot.name, c->name), "%s", c->descriptor);
    cr_expect(eq(int, cf_slot_is_wide(slot), c->tag == CF_TYPE_LONG || c->tag == CF_TYPE_DOUBLE));
}

struct method_case {
    const char *descriptor;
    unsigned slots;
    const char *result;
};

static const struct method_case method_cases[] = {
    {"()V", 0, "V"},    {"(I)J", 1, "J"}, {"(IJ[JLa/B;DZ)La/C;", 8, "La/C;"},
    {"([[D)V", 1, "V"}, {"", 0, ""},      {"V", 0, ""},
    {"(La/B", 0, ""},
};

Test(slots, of_methods)
{
    for (size_t i = 0; i < MB_COUNT(method_cases); i++) {
        const struct method_case *c = &method_cases[i];
        struct mb_text descriptor = mb_text_of(c->descriptor);
        cr_expect(eq(uint, cf_parameter_slots(descriptor), c->slots), "%s", c->descriptor);
        cr_expect(mb_text_is(cf_return_of(descriptor), c->result), "%s", c->descriptor);
    }
}
