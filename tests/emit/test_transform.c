/* What goes out for one class, and what the model says of it then. */

#include "class_builder.h"
#include "instrument/emit/transform.h"
#include "planned.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

struct world {
    struct planned planned;
    struct emit_transformer transformer;
    struct mb_buf out;
    struct mb_text content;
    struct mb_buf original;
};

static void init(struct world *w, const char *text)
{
    const struct input_class cls = {"in", text};

    planned_open(&w->planned, &cls, 1, 1);
    w->transformer = (struct emit_transformer){
        .crew = &w->planned.inputs.crew,
        .contents = &w->planned.contents,
        .sources = &w->planned.inputs.sources,
        .names = w->planned.names,
        .warnings = &w->planned.warnings,
        .beat = {.class_name = MB_TEXT("my/Beat")},
    };
    cr_assert(eq(int, emit_transformer_init(&w->transformer, NULL), MB_OK));
    inputs_build_class(text, &w->original);
    mb_buf_put_string(&w->out, "before");
}

static void finish(struct world *w)
{
    emit_transformer_finish(&w->transformer);
    planned_close(&w->planned);
    mb_buf_finish(&w->out);
    mb_buf_finish(&w->original);
}

static struct plan_class *only_class(const struct world *w)
{
    return w->planned.order.classes[0];
}

static enum mb_status transform(struct world *w, struct mb_error *err)
{
    return emit_transform(&w->transformer, 0, only_class(w), &w->out, &w->content, err);
}

static bool is_original(const struct world *w)
{
    return mb_text_equal(w->content, (struct mb_text){(char *)w->original.bytes, w->original.size});
}

/* Another file of that name since pass 1. */
Test(transform, another_class_than_in_pass_1_is_a_failure)
{
    struct world w = {0};
    struct mb_error err;

    init(&w, "a/A go -run");
    only_class(&w)->method_count = 1;
    cr_assert(eq(int, transform(&w, &err), MB_IO));
    cr_expect_str_eq(err.reason, "the input changed while it was read");
    finish(&w);
}

/* A class with a method whose code is as long as can be. */
static void build_full(struct mb_buf *out)
{
    static uint8_t code[65533];
    struct class_builder builder;

    code[sizeof(code) - 1] = 0xb1;
    class_builder_init(&builder, "a/A", "java/lang/Object");
    class_builder_add_method(&builder, &(struct built_method){.name = "go",
                                                              .descriptor = "()V",
                                                              .access_flags = 9,
                                                              .code = code,
                                                              .code_size = sizeof(code)});
    mb_buf_reset(out);
    class_builder_write(&builder, out);
    class_builder_finish(&builder);
}

Test(transform, a_method_that_meets_a_limit_joins_the_ignored_ones)
{
    struct world w = {0};

    init(&w, "a/A go");
    build_full(&w.original);
    only_class(&w)->content = (const char *)w.original.bytes;
    only_class(&w)->size = (uint32_t)w.original.size;
    cr_assert(eq(int, transform(&w, NULL), MB_OK));
    const struct plan_method *method = only_class(&w)->methods;
    cr_expect(eq(int, method->verdict, RULE_IGNORE));
    cr_expect(method->is_skipped);
    cr_expect(mb_text_is(mb_intern_get(w.planned.names, method->rule), "code over 65535 bytes"));
    cr_expect(eq(u16, only_class(&w)->traced_count, 0));
    cr_expect(only_class(&w)->is_cut_back);
    cr_expect(not(only_class(&w)->is_changed));
    cr_expect(is_original(&w));
    finish(&w);
}

Test(transform, a_focus_without_a_place_becomes_a_warning)
{
    struct class_builder builder;
    struct world w = {0};

    init(&w, "a/A");
    class_builder_init(&builder, "a/A", "java/lang/Object");
    while (builder.pool_count < 65530) {
        (void)class_builder_add_utf8(&builder, "");
    }
    mb_buf_reset(&w.original);
    class_builder_write(&builder, &w.original);
    class_builder_finish(&builder);
    only_class(&w)->content = (const char *)w.original.bytes;
    only_class(&w)->size = (uint32_t)w.original.size;
    only_class(&w)->focus = WEAVE_FOCUS_ADD;
    cr_assert(eq(int, transform(&w, NULL), MB_OK));
    cr_expect(eq(int, only_class(&w)->focus, WEAVE_FOCUS_NONE));
    cr_expect(only_class(&w)->is_cut_back);
    cr_assert(eq(sz, w.planned.warnings.count, 1));
    cr_expect(ne(ptr, strstr(w.planned.warnings.items[0].error.input, "a/A"), NULL));
    finish(&w);
}
