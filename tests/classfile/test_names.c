/* Which names a class may have. The verdicts are HotSpot's: tests/jvm/names.py asks it again. */

#include "class_builder.h"
#include "classfile/names.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

struct name_case {
    struct mb_text text;
    bool is_class;
    bool is_method;
};

#define NAME(text, is_class, is_method)            \
    {                                              \
        MB_TEXT_ROW(text), (is_class), (is_method) \
    }

static const struct name_case name_cases[] = {
    NAME("", false, false),
    NAME("A", true, true),
    NAME("a/B", true, false),
    NAME("a/b/C$D", true, false),
    NAME("/B", false, false),
    NAME("B/", false, false),
    NAME("a//B", false, false),
    NAME("/", false, false),
    NAME("a.B", false, false),
    NAME("a;B", false, false),
    NAME("[I", false, false),
    NAME("a[", false, false),
    NAME("a B", true, true),
    NAME("a\nB", true, true),
    NAME("a-B(c)", true, true),
    NAME("a<B", true, false),
    NAME("a>B", true, false),
    NAME("<x>", true, false),
    NAME("<init>", true, true),
    NAME("<clinit>", true, true),
    NAME("<init", true, false),
    NAME("a/name/of/Seventeen", true, false), /* more than a row of bytes */
    NAME("a/name/of/Seventeen/", false, false),
    NAME("/name/of/Seventeen", false, false),
    NAME("a/name/of//Seventeen", false, false),
    NAME("a/name/of.Seventeen", false, false),
    NAME("a/name/of/Seventeen[", false, false),
    NAME("a/name/of/Seventeen;", false, false),
    NAME("anameof\xc3\xa4Seventeen", true, true),
    NAME("anameof\xc3Seventeen", false, false),
    NAME("anameof{Seventeen", true, true),
    NAME("anameof=Seventeen", true, true),
    NAME("anameof>Seventeen", true, false),
    NAME("anameof<Seventeen", true, false),
    NAME("anameof\0Seventeen", false, false),
    NAME("Seventeen[", false, false),
    NAME("Seventeen.", false, false),
    NAME("Seventeen;", false, false),
    NAME("\xc3\xa4", true, true),
    NAME("\xe2\x82\xac", true, true),
    NAME("\xc0\x80", true, true),                 /* zero */
    NAME("a\0b", false, false),                   /* zero in one byte */
    NAME("\xc0\x81", false, false),               /* longer than need be */
    NAME("\xc1\xbf", false, false),               /* the same */
    NAME("\xc2\x80", true, true),                 /* the first of two bytes */
    NAME("\xe0\x9f\xbf", false, false),           /* longer than need be */
    NAME("\xe0\xa0\x80", true, true),             /* the first of three */
    NAME("\xed\xa0\xbd\xed\xb8\x80", true, true), /* a pair */
    NAME("\xed\xa0\xbd", true, true),             /* half of one */
    NAME("\xf0\x9f\x98\x80", false, false),       /* four bytes */
    NAME("\xff", false, false),
    NAME("\x80", false, false),
    NAME("a\xc3", false, false),
    NAME("a\xe2\x82", false, false),
    NAME("\xc3"
         "A",
         false, false),
    NAME("\xe2\x82"
         "A",
         false, false),
    NAME("\xe2"
         "A\x82",
         false, false),
};

EACH_ROW(names, are_judged, name_cases);

ParameterizedTest(size_t *row, names, are_judged)
{
    const struct name_case *c = &name_cases[*row];

    cr_expect(eq(int, cf_is_class_name(c->text), c->is_class), "row %zu as a class", *row);
    cr_expect(eq(int, cf_is_method_name(c->text), c->is_method), "row %zu as a method", *row);
}

static enum mb_status check_built(const char *name, const char *super_name, const char *method,
                                  const char *descriptor, struct mb_error *err)
{
    struct class_builder builder;
    struct mb_buf bytes = {0};
    struct mb_arena arena = {0};
    struct cf_class cls;

    class_builder_init(&builder, name, super_name);
    class_builder_add_method(&builder, &(struct built_method){.name = "fine", .descriptor = "()V"});
    class_builder_add_method(&builder,
                             &(struct built_method){.name = method, .descriptor = descriptor});
    class_builder_write(&builder, &bytes);
    class_builder_finish(&builder);
    cr_assert(eq(int, cf_class_parse(&cls, &arena, bytes.bytes, bytes.size, NULL), MB_OK));
    enum mb_status status = cf_class_check_names(&cls, err);
    mb_arena_finish(&arena);
    mb_buf_finish(&bytes);
    return status;
}

Test(names, all_of_a_class_are_checked)
{
    struct mb_error err = {0};

    cr_expect(eq(int, check_built("a/B", "a/C", "run", "()V", &err), MB_OK));
    cr_expect(eq(int, check_built("java/lang/Object", NULL, "run", "()V", &err), MB_OK));
    cr_expect(eq(int, check_built("", "a/C", "run", "()V", &err), MB_BAD_CLASS));
    cr_expect_str_eq(err.reason, "the name of this_class is not legal");
    cr_expect(eq(int, check_built("a/B", "", "run", "()V", &err), MB_BAD_CLASS));
    cr_expect_str_eq(err.reason, "the name of super_class is not legal");
    cr_expect(eq(int, check_built("a/B", "a/C", "a.b", "()V", &err), MB_BAD_CLASS));
    cr_expect_str_eq(err.reason, "the method's name is not legal");
    cr_expect_str_eq(err.class_name, "a/B");
    cr_expect(eq(int, check_built("a/B", "a/C", "run", "V", &err), MB_BAD_CLASS));
    cr_expect_str_eq(err.reason, "the method's descriptor is not legal");
    cr_expect(eq(int, check_built("a/B", "a/C", "run", "", &err), MB_BAD_CLASS));
}
