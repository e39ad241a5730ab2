/* What a method is called in the mapping files. */

#include "instrument/plan/describe.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define NATIVE 0x100

static struct mb_intern *names;
static struct plan_method method;
static struct plan_class cls;

static void init(void)
{
    names = mb_intern_create();
    method = (struct plan_method){
        .name = mb_intern_add(names, MB_TEXT("a")),
        .descriptor = mb_intern_add(names, MB_TEXT("(Lc;)V")),
        .id = 7,
        .access_flags = 9,
    };
    cls = (struct plan_class){
        .name = mb_intern_add(names, MB_TEXT("a/b")),
        .original_name = mb_intern_add(names, MB_TEXT("com/app/Main")),
        .method_count = 1,
        .methods = &method,
    };
}

static void finish(void)
{
    mb_intern_destroy(names);
}

TestSuite(describe, .init = init, .fini = finish);

/* As a line of the method map. */
static void expect_line(const struct plan_describer *describer, const char *expected)
{
    struct mb_arena arena = {0};
    struct mb_buf out = {0};
    struct plan_described_class described;
    struct abi_method result;

    cr_assert(eq(int, plan_describe_class(describer, &cls, &arena, &described, NULL), MB_OK));
    cr_assert(eq(int, plan_describe_method(&described, &method, &result, NULL), MB_OK));
    abi_methodmap_put_line(&out, &result);
    mb_buf_put_u1(&out, '\0');
    cr_expect_str_eq((char *)out.bytes, expected);
    mb_buf_finish(&out);
    mb_arena_finish(&arena);
}

Test(describe, matrix_says_deprecated_and_leaves_out_descriptors_of_natives)
{
    struct plan_describer describer = {.names = names};

    cls.original_name = cls.name;
    method.access_flags = NATIVE;
    method.is_deprecated = true;
    expect_line(&describer, "7,256,a.b a (Lc;)V\n");
    describer.profile = RULE_PROFILE_MATRIX;
    expect_line(&describer, "7,131328,a.b a\n");
    method.access_flags = 1;
    expect_line(&describer, "7,131073,a.b a (Lc;)V\n");
    method.is_deprecated = false;
    expect_line(&describer, "7,1,a.b a (Lc;)V\n");
}
