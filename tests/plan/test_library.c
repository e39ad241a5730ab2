/* What is kept of classes on the class path. */

#include "class_builder.h"
#include "inputs.h"
#include "instrument/plan/library.h"
#include "tests/support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

/* A folder with a class that is plain, and one of an Activity. */
struct world {
    struct inputs inputs;
    struct mb_intern *names;
    struct plan_library library;
};

static void write_file(const struct world *w, const char *name, const void *bytes, size_t size)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", w->inputs.paths[0], name);
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL);
    cr_assert(eq(sz, fwrite(bytes, 1, size, file), size));
    cr_assert(eq(int, fclose(file), 0));
}

/* An Activity's class. */
static void write_rich(const struct world *w)
{
    struct class_builder builder;
    struct mb_buf bytes = {0};

    class_builder_init(&builder, "b/B", "a/A");
    class_builder_add_method(
        &builder, &(struct built_method){.name = "onWindowFocusChanged",
                                         .descriptor = "(Z)V",
                                         .access_flags = CF_ACC_PUBLIC | CF_ACC_ABSTRACT});
    class_builder_write(&builder, &bytes);
    write_file(w, "B.class", bytes.bytes, bytes.size);
    mb_buf_finish(&bytes);
    class_builder_finish(&builder);
}

static void open(struct world *w)
{
    static const struct input_class plain[] = {{"lib", "a/A go"}};

    *w = (struct world){.names = mb_intern_create()};
    inputs_open(&w->inputs, plain, MB_COUNT(plain), 1);
    write_rich(w);
}

static enum mb_status read(struct world *w, struct mb_error *err)
{
    const char *path = w->inputs.paths[0];

    return plan_library_read(&w->library, &w->inputs.crew, w->names, &path, 1, err);
}

static void finish(struct world *w)
{
    plan_library_finish(&w->library);
    inputs_close(&w->inputs);
    mb_intern_destroy(w->names);
}

static bool is_named(const struct world *w, uint32_t name, const char *text)
{
    return mb_text_is(mb_intern_get(w->names, name), text);
}

static const struct plan_library_class *find(const struct world *w, const char *name)
{
    for (size_t i = 0; i < w->library.count; i++) {
        if (is_named(w, w->library.classes[i].name, name)) {
            return &w->library.classes[i];
        }
    }
    return NULL;
}

static void expect_rich(const struct world *w)
{
    const struct plan_library_class *b = find(w, "b/B");

    cr_assert(b != NULL);
    cr_expect(is_named(w, b->super_name, "a/A"));
    cr_expect(ne(int, b->focus_method, RULE_FOCUS_METHOD_ABSENT));
}

Test(library, a_class_that_cannot_be_read_tells_nothing)
{
    static const uint8_t broken[] = {0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 9};
    struct mb_buf odd = {0};
    struct world w;

    open(&w);
    write_file(&w, "Broken.class", broken, sizeof(broken));
    inputs_build_class("b/[B go", &odd);
    write_file(&w, "Odd.class", odd.bytes, odd.size);
    write_file(&w, "Empty.class", "", 0);
    cr_assert(eq(int, read(&w, NULL), MB_OK));
    cr_expect(eq(sz, w.library.count, 2));
    expect_rich(&w);
    mb_buf_finish(&odd);
    finish(&w);
}

Test(library, a_path_that_is_not_there_fails)
{
    const char *path = "/nonexistent/lib.jar";
    struct mb_error err = {0};
    struct world w;

    open(&w);
    cr_expect(
        eq(int, plan_library_read(&w.library, &w.inputs.crew, w.names, &path, 1, &err), MB_IO));
    cr_expect_str_eq(err.input, path);
    finish(&w);
}

/* What is parsed is of no use later; so a class which there was no memory for must not be one that
 * cannot be read. */
Test(library, every_failing_allocation_is_reported)
{
    enum mb_status status = MB_NO_MEMORY;
    struct world w;
    int first = 0;

    open(&w);
    mb_alloc_should_fail = fail_later;
    for (first = 0; first < 1000 && status == MB_NO_MEMORY; first++) {
        plan_library_finish(&w.library);
        plan_crew_finish(&w.inputs.crew);
        mb_intern_destroy(w.names);
        allocations_left = -1;
        w.names = mb_intern_create();
        cr_assert(eq(int, plan_crew_init(&w.inputs.crew, 1, NULL), MB_OK));
        allocations_left = first;
        status = read(&w, NULL);
    }
    mb_alloc_should_fail = NULL;
    cr_expect(eq(int, status, MB_OK));
    cr_expect(gt(int, first, 4));
    expect_rich(&w);
    finish(&w);
}
