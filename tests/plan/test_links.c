/* What is kept of a class file about other types: interfaces, annotations, lambdas, handles and
 * calls. */

#include "class_builder.h"
#include "plan/links.h"
#include "rules/platform.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>

#define METHODS 2
#define HANDLE_STATIC 6 /* JVMS table 5.4.3.5-A */
#define HANDLE_GETTER 1

/* A class file and what was decided of it. Zeroed memory before open. */
struct made {
    struct class_builder builder;
    struct mb_buf bootstraps; /* rows of BootstrapMethods */
    uint16_t bootstrap_count;
    struct plan_method decided[METHODS];
    struct plan_class cls;
    struct mb_buf bytes;
    struct mb_arena arena;
    struct mb_intern *names;
};

static void open(struct made *m)
{
    class_builder_init(&m->builder, "a/A", "java/lang/Object");
    m->builder.major_version = 55; /* which knows dynamic constants */
    m->names = mb_intern_create();
    m->cls.methods = m->decided;
}

/* An abstract method with one attribute; it is traced. */
static void add_method(struct made *m, const char *attribute, const struct mb_buf *content)
{
    struct built_attribute annotations = {attribute, content->bytes, content->size};

    class_builder_add_method(&m->builder, &(struct built_method){
                                              .name = "go",
                                              .descriptor = "()V",
                                              .access_flags = CF_ACC_PUBLIC | CF_ACC_ABSTRACT,
                                              .beside_code = &annotations,
                                          });
    m->decided[m->cls.method_count++].verdict = RULE_TRACE;
}

static uint16_t add_handle(struct made *m, uint8_t kind, const char *class_name, const char *name)
{
    uint8_t bytes[3] = {kind};

    mb_set_u2(bytes + 1, class_builder_add_method_ref(&m->builder, class_name, name, "()V"));
    return class_builder_add_raw(&m->builder, CF_TAG_METHOD_HANDLE, bytes, sizeof(bytes));
}

/* A row of BootstrapMethods; arguments end with 0. */
static void add_bootstrap(struct made *m, uint16_t handle, const uint16_t *arguments)
{
    uint16_t count = 0;

    while (arguments[count] != 0) {
        count++;
    }
    mb_buf_put_u2(&m->bootstraps, handle);
    mb_buf_put_u2(&m->bootstraps, count);
    for (uint16_t i = 0; i < count; i++) {
        mb_buf_put_u2(&m->bootstraps, arguments[i]);
    }
    m->bootstrap_count++;
}

static void add_dynamic(struct made *m, enum cf_tag tag, uint16_t row, const char *descriptor)
{
    uint8_t bytes[4];

    mb_set_u2(bytes, row);
    mb_set_u2(bytes + 2, class_builder_add_name_and_type(&m->builder, "run", descriptor));
    (void)class_builder_add_raw(&m->builder, (uint8_t)tag, bytes, sizeof(bytes));
}

static void write(struct made *m)
{
    struct mb_buf rows = {0};

    mb_buf_put_u2(&rows, m->bootstrap_count);
    mb_buf_put(&rows, m->bootstraps.bytes, m->bootstraps.size);
    if (m->bootstrap_count > 0) {
        class_builder_add_attribute(
            &m->builder, &(struct built_attribute){"BootstrapMethods", rows.bytes, rows.size});
    }
    class_builder_write(&m->builder, &m->bytes);
    mb_buf_finish(&rows);
}

static enum mb_status collect(struct made *m)
{
    struct cf_class file;

    mb_arena_reset(&m->arena);
    m->cls.links = MB_INTERN_NONE;
    MB_TRY(cf_class_parse(&file, &m->arena, m->bytes.bytes, m->bytes.size, NULL));
    return plan_links_collect(&m->cls, &file, m->names, &m->arena, NULL);
}

static struct plan_links links_of(struct made *m)
{
    if (m->bytes.size == 0) {
        write(m);
    }
    cr_assert(eq(int, collect(m), MB_OK));
    return plan_links_of(m->names, &m->cls);
}

static void finish(struct made *m)
{
    class_builder_finish(&m->builder);
    mb_buf_finish(&m->bootstraps);
    mb_buf_finish(&m->bytes);
    mb_arena_finish(&m->arena);
    mb_intern_destroy(m->names);
}

static bool is_named(const struct made *m, uint32_t name, const char *text)
{
    return mb_text_is(mb_intern_get(m->names, name), text);
}

Test(links, are_few_in_a_plain_class)
{
    struct made m = {0};
    struct plan_link link;

    open(&m);
    struct plan_links links = links_of(&m);
    cr_expect(not(plan_links_next(&links, &link)));
    finish(&m);
}

/* u2: type, u2: pairs; of a pair u2: name, u1: tag of the value, which may hold others. */
static void put_annotation(struct made *m, struct mb_buf *out, const char *type, unsigned pairs)
{
    mb_buf_put_u2(out, class_builder_add_utf8(&m->builder, type));
    mb_buf_put_u2(out, pairs);
}

Test(links, annotations_are_read_past_values_and_those_for_compilers)
{
    struct made m = {0};
    struct mb_buf list = {0};
    struct mb_buf broken = {0};
    struct plan_link link;

    open(&m);
    mb_buf_put_u2(&list, 4);
    put_annotation(&m, &list, "Ljava/lang/Deprecated;", 0);
    put_annotation(&m, &list, "Lx/Nested;", 1);
    mb_buf_put_u2(&list, 1);
    mb_buf_put_u1(&list, '[');
    mb_buf_put_u2(&list, 2);
    mb_buf_put_u1(&list, '@');
    put_annotation(&m, &list, "Lx/Inner;", 0);
    mb_buf_put_u1(&list, 'e');
    mb_buf_put_u4(&list, 0x00010001);
    put_annotation(&m, &list, "I", 0); /* no class */
    put_annotation(&m, &list, "Lx/Last;", 0);
    add_method(&m, "RuntimeInvisibleAnnotations", &list);
    mb_buf_put_u2(&broken, 9); /* of which one is there */
    put_annotation(&m, &broken, "Lx/Alone;", 0);
    add_method(&m, "RuntimeVisibleAnnotations", &broken);

    struct plan_links links = links_of(&m);
    static const struct {
        const char *type;
        uint32_t method;
    } expected[] = {{"x/Nested", 0}, {"x/Last", 0}, {"x/Alone", 1}};
    for (size_t i = 0; i < MB_COUNT(expected); i++) {
        cr_assert(plan_links_next(&links, &link), "%s", expected[i].type);
        cr_expect(eq(u32, link.kind, PLAN_LINK_ANNOTATION));
        cr_expect(is_named(&m, link.type, expected[i].type), "%s", expected[i].type);
        cr_expect(eq(u32, link.number, expected[i].method));
    }
    cr_expect(not(plan_links_next(&links, &link)));

    m.decided[0].verdict = RULE_IGNORE;
    links = links_of(&m);
    cr_assert(plan_links_next(&links, &link));
    cr_expect(is_named(&m, link.type, "x/Alone"), "of methods that are traced");
    mb_buf_finish(&list);
    mb_buf_finish(&broken);
    finish(&m);
}

#define FACTORY "java/lang/invoke/LambdaMetafactory"

/* The arguments of a lambda's bootstrap: void run(), a/A.body, void run(), and more numbers. */
static void add_lambda(struct made *m, const char *factory, size_t more)
{
    uint16_t arguments[8] = {0};
    uint8_t descriptor[2];

    mb_set_u2(descriptor, class_builder_add_utf8(&m->builder, "()V"));
    arguments[0] = class_builder_add_raw(&m->builder, CF_TAG_METHOD_TYPE, descriptor, 2);
    arguments[1] = add_handle(m, HANDLE_STATIC, "a/A", "body");
    arguments[2] = arguments[0];
    for (size_t i = 0; i < more; i++) {
        arguments[3 + i] = class_builder_add_integer(&m->builder, 1);
    }
    add_bootstrap(m, add_handle(m, HANDLE_STATIC, factory, "make"), arguments);
}

Test(links, lambdas_say_who_calls_them)
{
    struct made m = {0};
    struct plan_link link;

    open(&m);
    add_lambda(&m, FACTORY, 0);
    add_dynamic(&m, CF_TAG_INVOKE_DYNAMIC, 0, "(I)Li/I;");
    add_dynamic(&m, CF_TAG_INVOKE_DYNAMIC, 0, "()Li/J;");
    add_dynamic(&m, CF_TAG_INVOKE_DYNAMIC, 7, "()Li/K;"); /* no such row */
    struct plan_links links = links_of(&m);
    for (size_t i = 0; i < 2; i++) {
        cr_assert(plan_links_next(&links, &link));
        cr_expect(eq(u32, link.kind, PLAN_LINK_LAMBDA));
        cr_expect(is_named(&m, link.type, i == 0 ? "i/I" : "i/J"));
        cr_expect(eq(u32, link.key, rule_method_key(MB_TEXT("run"), MB_TEXT("()V"))));
        cr_expect(is_named(&m, link.target, "a/A"));
        cr_expect(eq(u32, link.target_key, rule_method_key(MB_TEXT("body"), MB_TEXT("()V"))));
    }
    cr_expect(not(plan_links_next(&links, &link)));
    finish(&m);
}

/* Flags alone, as of what is serializable, change nothing; with marker interfaces and bridges
 * others may call it too, and by other descriptors. */
Test(links, lambdas_with_bridges_may_be_called_by_anyone)
{
    for (size_t more = 1; more <= 3; more++) {
        struct made m = {0};
        struct plan_link link;
        open(&m);
        add_lambda(&m, FACTORY, more);
        add_dynamic(&m, CF_TAG_INVOKE_DYNAMIC, 0, "()Li/I;");
        struct plan_links links = links_of(&m);
        cr_assert(plan_links_next(&links, &link));
        cr_expect(eq(u32, link.kind, PLAN_LINK_LAMBDA));
        cr_expect(is_named(&m, link.type, more == 1 ? "i/I" : ""), "%zu more", more);
        cr_expect(is_named(&m, link.target, "a/A"));
        finish(&m);
    }
}

Test(links, handles_for_others_are_told_once)
{
    struct made m = {0};
    struct plan_link link;

    open(&m);
    uint16_t arguments[] = {add_handle(&m, HANDLE_GETTER, "a/A", "field"),
                            add_handle(&m, HANDLE_STATIC, "b/B", "go"), 0};
    add_bootstrap(&m, add_handle(&m, HANDLE_STATIC, "x/Other", "make"), arguments);
    add_dynamic(&m, CF_TAG_DYNAMIC, 0, "Li/I;");
    add_dynamic(&m, CF_TAG_INVOKE_DYNAMIC, 0, "()Li/I;");
    struct plan_links links = links_of(&m);
    cr_assert(plan_links_next(&links, &link));
    cr_expect(eq(u32, link.kind, PLAN_LINK_CALL));
    cr_expect(is_named(&m, link.target, "b/B"));
    cr_expect(not(plan_links_next(&links, &link)));
    finish(&m);
}

/* Rows that are not whole tell nothing, not even the first. */
Test(links, bootstraps_that_are_cut_tell_nothing)
{
    struct made m = {0};
    struct plan_link link;

    open(&m);
    add_lambda(&m, FACTORY, 0);
    add_dynamic(&m, CF_TAG_INVOKE_DYNAMIC, 0, "()Li/I;");
    m.bootstrap_count++;
    struct plan_links links = links_of(&m);
    cr_expect(not(plan_links_next(&links, &link)));
    finish(&m);
}

#define MANY 7000 /* links: more than two texts hold */

Test(links, of_a_class_without_probes_are_all_that_it_may_call)
{
    static bool is_told[MANY];
    struct made m = {0};
    struct plan_link link;

    open(&m);
    uint16_t name_and_type = class_builder_add_name_and_type(&m.builder, "go", "()V");
    for (int i = 0; i < MANY; i++) {
        char name[16];
        uint8_t bytes[4];
        (void)snprintf(name, sizeof(name), "x/%d", i);
        mb_set_u2(bytes, class_builder_add_class(&m.builder, name));
        mb_set_u2(bytes + 2, name_and_type);
        (void)class_builder_add_raw(&m.builder, CF_TAG_METHODREF, bytes, sizeof(bytes));
    }
    struct plan_links links = links_of(&m);
    cr_expect(not(plan_links_next(&links, &link)));
    m.cls.is_blocked = true;
    links = links_of(&m);
    size_t count = 0;
    for (; plan_links_next(&links, &link); count++) {
        cr_assert(eq(u32, link.kind, PLAN_LINK_CALL));
        is_told[atoi(mb_intern_get(m.names, link.target).data + 2)] = true;
    }
    cr_expect(eq(sz, count, MANY));
    for (int i = 0; i < MANY; i++) {
        cr_expect(is_told[i], "x/%d", i);
    }
    finish(&m);
}

static int allocations_left;

static int fail_later(void)
{
    return allocations_left-- == 0;
}

Test(links, every_failing_allocation_is_reported)
{
    enum mb_status status = MB_NO_MEMORY;
    struct made m = {0};
    int first = 0;

    open(&m);
    for (int i = 0; i < 2000; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "x/I%d", i);
        class_builder_add_interface(&m.builder, name);
    }
    add_lambda(&m, FACTORY, 0);
    add_dynamic(&m, CF_TAG_INVOKE_DYNAMIC, 0, "()Li/I;");
    write(&m);
    mb_alloc_should_fail = fail_later;
    for (first = 0; first < 100 && status == MB_NO_MEMORY; first++) {
        allocations_left = first;
        mb_arena_finish(&m.arena);
        status = collect(&m);
    }
    mb_alloc_should_fail = NULL;
    cr_expect(eq(int, status, MB_OK));
    cr_expect(gt(int, first, 2));
    size_t count = 0;
    struct plan_link link;
    for (struct plan_links links = links_of(&m); plan_links_next(&links, &link);) {
        count++;
    }
    cr_expect(eq(sz, count, 2001));
    finish(&m);
}
