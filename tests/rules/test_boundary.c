/* Which methods code without probes may call, by what their class says. */

#include "class_builder.h"
#include "rules/boundary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define ABSTRACT CF_ACC_ABSTRACT
#define HANDLE_STATIC 6 /* JVMS table 5.4.3.5-A */
#define HANDLE_GETTER 1

/* A class a/A. Zeroed memory before open. */
struct made {
    struct class_builder builder;
    struct mb_buf bytes;
    struct cf_class file;
    struct mb_arena arena;
};

static void open(struct made *m)
{
    class_builder_init(&m->builder, "a/A", "java/lang/Object");
}

static void add(struct made *m, const char *name, const char *descriptor, unsigned flags)
{
    class_builder_add_method(&m->builder, &(struct built_method){.name = name,
                                                                 .descriptor = descriptor,
                                                                 .access_flags = (uint16_t)flags});
}

static void add_annotated(struct made *m, const char *attribute, const struct mb_buf *content)
{
    struct built_attribute annotations = {attribute, content->bytes, content->size};

    class_builder_add_method(&m->builder, &(struct built_method){.name = "go",
                                                                 .descriptor = "()V",
                                                                 .access_flags = ABSTRACT,
                                                                 .beside_code = &annotations});
}

static void add_handle(struct made *m, uint8_t kind, const char *class_name, const char *name)
{
    uint8_t bytes[3] = {kind};

    mb_set_u2(bytes + 1, class_builder_add_method_ref(&m->builder, class_name, name, "()V"));
    (void)class_builder_add_raw(&m->builder, CF_TAG_METHOD_HANDLE, bytes, sizeof(bytes));
}

/* The reasons of the methods, one after the other. */
static void expect(struct made *m, const char *reasons)
{
    struct mb_text rest = mb_text_of(reasons);

    class_builder_write(&m->builder, &m->bytes);
    cr_assert(
        eq(int, cf_class_parse(&m->file, &m->arena, m->bytes.bytes, m->bytes.size, NULL), MB_OK));
    const uint8_t *found = rule_boundaries_of(&m->file, &m->arena);
    cr_assert(found != NULL);
    for (uint16_t i = 0; i < m->file.method_count; i++) {
        const char *name = rule_boundary_name((enum rule_boundary)found[i]);
        cr_expect(mb_text_is(mb_text_split(&rest, ' '), name[0] != '\0' ? name : "-"),
                  "method %d: %s, not of %s", i, name, reasons);
    }
    cr_expect(eq(sz, rest.size, 0));
    class_builder_finish(&m->builder);
    mb_buf_finish(&m->bytes);
    mb_arena_finish(&m->arena);
}

Test(boundary, the_jvm_calls_some_by_name)
{
    struct made m = {0};

    open(&m);
    add(&m, "main", "([Ljava/lang/String;)V", ABSTRACT);
    add(&m, "main", "(I)V", ABSTRACT);
    add(&m, "<clinit>", "()V", ABSTRACT);
    add(&m, "readResolve", "()Ljava/lang/Object;", ABSTRACT);
    expect(&m, "main - initializer serialization");
}

Test(boundary, the_platform_calls_what_is_named_as_its_own)
{
    struct made m = {0};

    open(&m);
    add(&m, "run", "()V", ABSTRACT);
    add(&m, "run", "(I)Z", ABSTRACT);
    add(&m, "call", "()Ljava/lang/Object;", ABSTRACT | CF_ACC_PRIVATE);
    add(&m, "close", "()V", ABSTRACT | CF_ACC_STATIC);
    expect(&m, "overrides - - -");
}

Test(boundary, native_methods_call_all)
{
    struct made m = {0};

    open(&m);
    add(&m, "start", "()V", CF_ACC_NATIVE);
    add(&m, "own", "(I)Z", ABSTRACT | CF_ACC_PRIVATE);
    expect(&m, "overrides native");
}

/* u2: type, u2: pairs; of a pair u2: name, u1: tag of the value, which may hold others. */
static void put_annotation(struct made *m, struct mb_buf *out, const char *type, unsigned pairs)
{
    mb_buf_put_u2(out, class_builder_add_utf8(&m->builder, type));
    mb_buf_put_u2(out, pairs);
}

Test(boundary, annotations_are_read_past_values_and_those_for_compilers)
{
    struct made m = {0};
    struct mb_buf silent = {0};
    struct mb_buf list = {0};
    struct mb_buf broken = {0};

    open(&m);
    mb_buf_put_u2(&silent, 1);
    put_annotation(&m, &silent, "Ljava/lang/Deprecated;", 0);
    add_annotated(&m, "RuntimeVisibleAnnotations", &silent);
    mb_buf_put_u2(&list, 2);
    put_annotation(&m, &list, "Lkotlin/Nested;", 1);
    mb_buf_put_u2(&list, 1);
    mb_buf_put_u1(&list, '[');
    mb_buf_put_u2(&list, 2);
    mb_buf_put_u1(&list, '@');
    put_annotation(&m, &list, "Lx/Inner;", 0);
    mb_buf_put_u1(&list, 'e');
    mb_buf_put_u4(&list, 0x00010001);
    put_annotation(&m, &list, "Lx/Last;", 0);
    add_annotated(&m, "RuntimeInvisibleAnnotations", &list);
    mb_buf_put_u2(&broken, 9); /* of which one is there */
    put_annotation(&m, &broken, "Ljava/lang/SafeVarargs;", 0);
    add_annotated(&m, "RuntimeVisibleAnnotations", &broken);
    expect(&m, "- annotated -");
    mb_buf_finish(&silent);
    mb_buf_finish(&list);
    mb_buf_finish(&broken);
}

Test(boundary, handles_hand_out_methods_of_the_class)
{
    struct made m = {0};

    open(&m);
    add(&m, "body", "()V", ABSTRACT | CF_ACC_PRIVATE);
    add(&m, "body", "(I)V", ABSTRACT | CF_ACC_PRIVATE);
    add(&m, "field", "()V", ABSTRACT | CF_ACC_PRIVATE);
    add(&m, "other", "()V", ABSTRACT | CF_ACC_PRIVATE);
    add_handle(&m, HANDLE_STATIC, "a/A", "body");
    add_handle(&m, HANDLE_GETTER, "a/A", "field");
    add_handle(&m, HANDLE_STATIC, "b/B", "other");
    expect(&m, "lambda - - -");
}

static int fail_always(void)
{
    return 1;
}

Test(boundary, without_memory_there_is_no_answer)
{
    struct cf_class none = {.method_count = 0};
    struct mb_arena arena = {0};

    mb_alloc_should_fail = fail_always;
    cr_expect(eq(ptr, rule_boundaries_of(&none, &arena), NULL));
    mb_alloc_should_fail = NULL;
    mb_arena_finish(&arena);
}
