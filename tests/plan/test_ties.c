/* What is kept of a class file about other types: interfaces, handles and calls. */

#include "class_builder.h"
#include "instrument/plan/collect.h"
#include "rules/platform.h"
#include "tests/support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#define HANDLE_STATIC 6 /* JVMS table 5.4.3.5-A */
#define HANDLE_GETTER 1

/* A class file and what is kept of it. */
struct made {
    struct class_builder builder;
    struct plan_class cls;
    struct mb_buf bytes;
    struct mb_arena arena;
    struct mb_intern *names;
};

static void open(struct made *m)
{
    *m = (struct made){.names = mb_intern_create()};
    class_builder_init(&m->builder, "a/A", "java/lang/Object");
}

static void add_handle(struct made *m, uint8_t kind, const char *class_name, const char *name)
{
    uint8_t bytes[3] = {kind};

    mb_set_u2(bytes + 1, class_builder_add_method_ref(&m->builder, class_name, name, "()V"));
    (void)class_builder_add_raw(&m->builder, CF_TAG_METHOD_HANDLE, bytes, sizeof(bytes));
}

/* Calls of void go() of as many classes. */
static void add_calls(struct made *m, int count)
{
    uint16_t name_and_type = class_builder_add_name_and_type(&m->builder, "go", "()V");

    for (int i = 0; i < count; i++) {
        uint8_t bytes[4];
        char name[16];
        (void)snprintf(name, sizeof(name), "x/%d", i);
        mb_set_u2(bytes, class_builder_add_class(&m->builder, name));
        mb_set_u2(bytes + 2, name_and_type);
        (void)class_builder_add_raw(&m->builder, CF_TAG_METHODREF, bytes, sizeof(bytes));
    }
}

static enum mb_status collect(struct made *m)
{
    struct cf_class file;

    mb_arena_reset(&m->arena);
    m->cls.interfaces = m->cls.called = MB_INTERN_NONE;
    MB_TRY(cf_class_parse(&file, &m->arena, m->bytes.bytes, m->bytes.size, NULL));
    return plan_links_collect(&m->cls, &file, m->names, NULL);
}

static void must_collect(struct made *m)
{
    if (m->bytes.size == 0) {
        class_builder_write(&m->builder, &m->bytes);
    }
    cr_assert(eq(int, collect(m), MB_OK));
}

static void finish(struct made *m)
{
    class_builder_finish(&m->builder);
    mb_buf_finish(&m->bytes);
    mb_arena_finish(&m->arena);
    mb_intern_destroy(m->names);
}

static void expect_key(struct mb_text *links, const char *name)
{
    uint32_t key = 0;

    cr_assert(plan_links_next(links, &key), "%s", name);
    cr_expect(eq(u32, key, rule_method_key(mb_text_of(name), MB_TEXT("()V"))), "%s", name);
}

Test(links, are_none_in_a_plain_class)
{
    struct made m;

    open(&m);
    class_builder_add_interface(&m.builder, "java/lang/Runnable");
    add_calls(&m, 2);
    must_collect(&m);
    cr_expect(eq(u32, m.cls.interfaces, MB_INTERN_NONE));
    cr_expect(eq(u32, m.cls.called, MB_INTERN_NONE));
    finish(&m);
}

Test(links, interfaces_are_kept_by_name)
{
    struct made m;
    uint32_t name = 0;

    open(&m);
    class_builder_add_interface(&m.builder, "java/lang/Runnable");
    class_builder_add_interface(&m.builder, "i/I");
    must_collect(&m);
    struct mb_text links = mb_intern_get(m.names, m.cls.interfaces);
    cr_assert(plan_links_next(&links, &name));
    cr_expect(mb_text_is(mb_intern_get(m.names, name), "i/I"));
    cr_expect(not(plan_links_next(&links, &name)));
    finish(&m);
}

Test(links, handles_are_kept_by_what_they_name)
{
    struct made m;
    uint32_t key;

    open(&m);
    add_handle(&m, HANDLE_GETTER, "b/B", "field");
    add_handle(&m, HANDLE_STATIC, "b/B", "go");
    add_handle(&m, HANDLE_STATIC, "java/util/List", "of");
    add_handle(&m, HANDLE_STATIC, "a/A", "body");
    must_collect(&m);
    struct mb_text links = mb_intern_get(m.names, m.cls.called);
    expect_key(&links, "go");
    expect_key(&links, "body");
    cr_expect(not(plan_links_next(&links, &key)));
    finish(&m);
}

Test(links, a_class_without_probes_calls_what_it_names)
{
    for (int way = 0; way < 2; way++) {
        struct made m;
        uint32_t key;
        open(&m);
        *(way == 0 ? &m.cls.is_blocked : &m.cls.is_instrumented) = true;
        (void)class_builder_add_method_ref(&m.builder, "java/io/File", "list", "()V");
        (void)class_builder_add_method_ref(&m.builder, "a/A", "own", "()V");
        add_calls(&m, 1);
        must_collect(&m);
        struct mb_text links = mb_intern_get(m.names, m.cls.called);
        expect_key(&links, "own");
        expect_key(&links, "go");
        cr_expect(not(plan_links_next(&links, &key)));
        finish(&m);
    }
}

Test(links, more_than_a_text_holds_may_be_any)
{
    struct made m;
    uint32_t key = 1;

    open(&m);
    m.cls.is_blocked = true;
    add_calls(&m, UINT16_MAX / 4 + 1);
    must_collect(&m);
    struct mb_text links = mb_intern_get(m.names, m.cls.called);
    cr_assert(plan_links_next(&links, &key));
    cr_expect(eq(u32, key, PLAN_LINK_ANY));
    cr_expect(not(plan_links_next(&links, &key)));
    finish(&m);
}

Test(links, every_failing_allocation_is_reported)
{
    enum mb_status status = MB_NO_MEMORY;
    struct made m;
    int first = 0;

    open(&m);
    for (int i = 0; i < 2000; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "x/I%d", i);
        class_builder_add_interface(&m.builder, name);
    }
    add_handle(&m, HANDLE_STATIC, "b/B", "go");
    class_builder_write(&m.builder, &m.bytes);
    mb_alloc_should_fail = fail_later;
    for (first = 0; first < 100 && status == MB_NO_MEMORY; first++) {
        allocations_left = first;
        mb_arena_finish(&m.arena);
        status = collect(&m);
    }
    mb_alloc_should_fail = NULL;
    cr_expect(eq(int, status, MB_OK));
    cr_expect(gt(int, first, 2));
    cr_expect(eq(sz, mb_intern_get(m.names, m.cls.interfaces).size, 2000 * sizeof(uint32_t)));
    finish(&m);
}
