/* Methods that tools add, and their calls. */

#include "rules/parts.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(generated, methods_of_coverage_are_known)
{
    static const struct {
        const char *name;
        bool is_added;
    } rows[] = {{"$jacocoInit", true},      {"__$hitsInit$__", true},
                {"__cobertura_init", true}, {"$VRi", true},
                {"$jacocoInit2", false},    {"__$x", false},
                {"jacocoInit", false},      {"", false}};

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        struct rule_method_input method = {.name = mb_text_of(rows[i].name)};
        struct rule_subject subject = {.method = &method};
        cr_expect(eq(int, rule_is_added(&subject), rows[i].is_added), "%s", rows[i].name);
    }
}

/* The body of a getter after a call of a.$jacocoInit()[Z; pool entries 1 to 5. */
Test(generated, its_call_is_no_call_of_the_method)
{
    static uint8_t bytes[] = "xx\x01\x00\x0b$jacocoInit\x01\x00\x03()[\x0c\x00\x01\x00\x02"
                             "\x07\x00\x01\x0a\x00\x04\x00\x03";
    static uint32_t offsets[] = {0, 2, 16, 22, 27, 30};
    const struct cf_pool pool = {.bytes = bytes, .offsets = offsets, .count = 6};
    struct cf_code code = {
        .bytes = (const uint8_t[]){CF_OP_INVOKESTATIC, 0, 5, CF_OP_POP, CF_OP_RETURN}, .size = 5};

    cr_expect(eq(u32, rule_added_size(&pool, &code), 3));
    cr_expect(rule_shape_of(&code, 3, 0, 0).is_whole);
    code.bytes = (const uint8_t[]){CF_OP_INVOKESTATIC, 0, 4, CF_OP_POP, CF_OP_RETURN};
    cr_expect(eq(u32, rule_added_size(&pool, &code), 0));
}
