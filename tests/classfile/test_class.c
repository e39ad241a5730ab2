/* Taking class files apart: what they say, and every way in which they can end too early or lie. */

#include "class_builder.h"
#include "classfile/class.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static const uint8_t code[] = {0xb1};

static void build(struct mb_buf *out)
{
    struct class_builder builder;

    class_builder_init(&builder, "a/B", "a/C");
    class_builder_add_method(&builder, &(struct built_method){.name = "run",
                                                              .descriptor = "()V",
                                                              .access_flags = CF_ACC_STATIC,
                                                              .code = code,
                                                              .code_size = sizeof(code)});
    class_builder_add_method(&builder, &(struct built_method){.name = "go",
                                                              .descriptor = "(I)J",
                                                              .access_flags = CF_ACC_ABSTRACT});
    class_builder_write(&builder, out);
    class_builder_finish(&builder);
}

/* A copy of exactly this size, so that sanitizers see what reads past it. */
static enum mb_status parse_copy(const uint8_t *bytes, size_t size, struct mb_error *err)
{
    struct mb_arena arena = {0};
    struct cf_class cls;
    uint8_t *copy = malloc(size > 0 ? size : 1);

    cr_assert(copy != NULL);
    memcpy(copy, bytes, size);
    enum mb_status status = cf_class_parse(&cls, &arena, copy, size, err);
    mb_arena_finish(&arena);
    free(copy);
    return status;
}

Test(class, says_what_stands_in_it)
{
    struct mb_buf bytes = {0};
    struct mb_arena arena = {0};
    struct cf_class cls;

    build(&bytes);
    cr_assert(eq(int, cf_class_parse(&cls, &arena, bytes.bytes, bytes.size, NULL), MB_OK));
    cr_expect(mb_text_is(cls.name, "a/B"));
    cr_expect(mb_text_is(cls.super_name, "a/C"));
    cr_expect(eq(u16, cls.major_version, 52));
    cr_assert(eq(u16, cls.method_count, 2));
    cr_expect(eq(u16, cls.field_count, 0));
    cr_expect(mb_text_is(cf_member_name(&cls, &cls.methods[0]), "run"));
    cr_expect(mb_text_is(cf_member_descriptor(&cls, &cls.methods[1]), "(I)J"));
    cr_expect(eq(u16, cls.methods[0].access_flags, CF_ACC_STATIC));
    cr_expect(eq(u32, cls.methods[0].code, cls.methods[0].offset + 8));
    cr_expect(eq(u32, cls.methods[1].code, 0));
    cr_expect(eq(u32, cls.methods[0].offset, cls.methods_offset + 2));
    cr_expect(eq(u32, cls.methods[0].end, cls.methods[1].offset));
    cr_expect(eq(u32, cls.methods[1].end, cls.attributes_offset));
    cr_expect(eq(sz, cls.attributes_offset + 2, bytes.size));
    mb_arena_finish(&arena);
    mb_buf_finish(&bytes);
}

Test(class, no_start_of_a_class_is_a_class)
{
    struct mb_buf bytes = {0};
    struct mb_error err;

    build(&bytes);
    for (size_t size = 0; size < bytes.size; size++) {
        err = (struct mb_error){0};
        cr_assert(eq(int, parse_copy(bytes.bytes, size, &err), MB_BAD_CLASS), "%zu bytes", size);
        cr_assert(ne(chr, err.reason[0], '\0'));
    }
    mb_buf_put_u1(&bytes, 0);
    cr_expect(eq(int, parse_copy(bytes.bytes, bytes.size, &err), MB_BAD_CLASS));
    cr_expect_str_eq(err.reason, "bytes after the end of the class");
    mb_buf_finish(&bytes);
}

struct lie_case {
    const char *what;
    int from_methods; /* where the u2 is, from methods_count on */
    unsigned value;
    const char *reason;
};

static const struct lie_case lie_cases[] = {
    {"this_class", -8, 1, "this_class is not a Class constant"},
    {"super_class", -6, 1, "super_class is not a Class constant"},
    {"too many interfaces", -4, 40000, "the class file ends among its interfaces"},
    {"too many methods", 0, 40000, NULL},
    {"a method without a name", 4, 2, "member without a name or descriptor"},
    {"a method without a descriptor", 6, 0, "member without a name or descriptor"},
    {"an attribute without a name", 10, 2, "attribute 0 has no name"},
    {"an attribute that is too long", 12, 1, "attribute 0 passes the end of the class file"},
};

EACH_ROW(class, lies, lie_cases);

ParameterizedTest(size_t *row, class, lies)
{
    const struct lie_case *c = &lie_cases[*row];
    struct mb_buf bytes = {0};
    struct mb_arena arena = {0};
    struct mb_error err = {0};
    struct cf_class cls;

    build(&bytes);
    cr_assert(eq(int, cf_class_parse(&cls, &arena, bytes.bytes, bytes.size, NULL), MB_OK));
    mb_set_u2(bytes.bytes + cls.methods_offset + c->from_methods, c->value);
    cr_expect(eq(int, parse_copy(bytes.bytes, bytes.size, &err), MB_BAD_CLASS), "%s", c->what);
    if (c->reason != NULL) {
        cr_expect_str_eq(err.reason, c->reason, "%s", c->what);
    }
    mb_arena_finish(&arena);
    mb_buf_finish(&bytes);
}

Test(class, attributes_mean_something_in_their_place_only)
{
    cr_expect(eq(int, cf_attribute_kind(MB_TEXT("Code"), CF_IN_METHOD), CF_ATTRIBUTE_Code));
    cr_expect(eq(int, cf_attribute_kind(MB_TEXT("Code"), CF_IN_CODE), CF_ATTRIBUTE_UNKNOWN));
    cr_expect(eq(int, cf_attribute_kind(MB_TEXT("StackMapTable"), CF_IN_CODE),
                 CF_ATTRIBUTE_StackMapTable));
    cr_expect(
        eq(int, cf_attribute_kind(MB_TEXT("StackMapTabl"), CF_IN_CODE), CF_ATTRIBUTE_UNKNOWN));
    cr_expect(eq(int, cf_attribute_kind(MB_TEXT(""), CF_IN_CLASS), CF_ATTRIBUTE_UNKNOWN));
}
