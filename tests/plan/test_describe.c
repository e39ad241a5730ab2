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

Test(describe, without_a_mapping_names_are_those_of_the_class)
{
    const struct plan_describer describer = {.names = names};

    cls.original_name = cls.name;
    expect_line(&describer, "7,9,a.b a (Lc;)V\n");
}

Test(describe, with_a_mapping_names_are_original)
{
    struct rule_mapping *mapping = NULL;
    struct plan_describer describer = {.names = names};

    cr_assert(eq(int,
                 rule_mapping_parse(&mapping,
                                    MB_TEXT("com.app.Main -> a.b:\n    void run(com.app.It) -> a\n"
                                            "    1:1:void com.app.Base.moved():1:1 -> m\n"
                                            "com.app.It -> c:\n"),
                                    "m", NULL),
                 MB_OK));
    describer.mapping = mapping;
    expect_line(&describer, "7,9,com.app.Main run (Lcom.app.It;)V\n");
    method.name = mb_intern_add(names, MB_TEXT("unknown"));
    expect_line(&describer, "7,9,com.app.Main unknown (Lcom.app.It;)V\n");
    method.name = mb_intern_add(names, MB_TEXT("m"));
    method.descriptor = mb_intern_add(names, MB_TEXT("()V"));
    expect_line(&describer, "7,9,com.app.Base moved ()V\n");
    rule_mapping_destroy(mapping);
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
