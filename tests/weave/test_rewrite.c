/* What the rewriter says of a class whose limits are met, and what it changes then. */

#include "class_builder.h"
#include "instrument/weave/rewrite.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define FULL 65533 /* bytes of code, or entries of the pool: no probe finds a place */

struct limit_case {
    const char *what;
    uint16_t pool_count; /* at least; 0: as it comes */
    uint32_t code_size;  /* of onWindowFocusChanged; 0: there is none */
    enum weave_focus focus;
    bool is_traced; /* onWindowFocusChanged */
    size_t skip_count;
    const char *focus_skip;
    bool is_changed;
};

static const struct limit_case limit_cases[] = {
    {"an override is added", 0, 0, WEAVE_FOCUS_ADD, false, 0, NULL, true},
    {"the pool has no place for an override", FULL, 0, WEAVE_FOCUS_ADD, false, 0,
     "constant pool over 65535 entries", false},
    {"its own method calls at", 0, 1, WEAVE_FOCUS_ENTRY, false, 0, NULL, true},
    {"its own method has no room, and is not traced", 0, FULL, WEAVE_FOCUS_ENTRY, false, 0,
     "code over 65535 bytes", false},
    {"its own method has no room, and would be traced", 0, FULL, WEAVE_FOCUS_ENTRY, true, 1,
     "code over 65535 bytes", false},
    {"a method has no room", 0, FULL, WEAVE_FOCUS_NONE, true, 1, NULL, false},
    {"a method has no room, an override is added all the same", 0, FULL, WEAVE_FOCUS_ADD, true, 1,
     NULL, true},
    {"the pool has no place for what a method needs", FULL, 1, WEAVE_FOCUS_ENTRY, true, 1,
     "constant pool over 65535 entries", false},
};

struct huge_case {
    uint32_t code_size; /* entry and exit take 8 bytes, a handler of its own 5, at an Activity 5 */
    enum weave_exceptions exceptions;
    enum weave_focus focus;
    bool grows_huge;
    bool is_probed;
};

static const struct huge_case huge_cases[] = {
    {7992, WEAVE_EXCEPTIONS_RETURNS, WEAVE_FOCUS_NONE, false, true},
    {7993, WEAVE_EXCEPTIONS_RETURNS, WEAVE_FOCUS_NONE, false, false},
    {7993, WEAVE_EXCEPTIONS_RETURNS, WEAVE_FOCUS_NONE, true, true},
    {7993, WEAVE_EXCEPTIONS_RETURNS, WEAVE_FOCUS_ENTRY, false, true},
    {8000, WEAVE_EXCEPTIONS_RETURNS, WEAVE_FOCUS_NONE, false, false},
    {8001, WEAVE_EXCEPTIONS_RETURNS, WEAVE_FOCUS_NONE, false, true},
    {7987, WEAVE_EXCEPTIONS_FINALLY, WEAVE_FOCUS_NONE, false, true},
    {7988, WEAVE_EXCEPTIONS_FINALLY, WEAVE_FOCUS_NONE, false, false},
    {7992, WEAVE_EXCEPTIONS_CATCH, WEAVE_FOCUS_NONE, false, true}, /* without its handler */
    {7993, WEAVE_EXCEPTIONS_CATCH, WEAVE_FOCUS_NONE, false, false},
};

EACH_ROW(rewrite, limits, limit_cases);

static void build(const struct limit_case *c, struct mb_buf *out)
{
    static uint8_t code[FULL];
    struct class_builder builder;

    class_builder_init(&builder, "a/B", "android/app/Activity");
    if (c->code_size > 0) {
        memset(code, 0, sizeof(code));
        code[c->code_size - 1] = 0xb1; /* return */
        class_builder_add_method(&builder, &(struct built_method){.name = "onWindowFocusChanged",
                                                                  .descriptor = "(Z)V",
                                                                  .access_flags = 1,
                                                                  .max_locals = 2,
                                                                  .code = code,
                                                                  .code_size = c->code_size});
    }
    while (builder.pool_count < c->pool_count) {
        (void)class_builder_add_utf8(&builder, "");
    }
    class_builder_write(&builder, out);
    class_builder_finish(&builder);
}

ParameterizedTest(size_t *row, rewrite, limits)
{
    const struct limit_case *c = &limit_cases[*row];
    struct weave_beat beat = {.class_name = MB_TEXT("methodbeat/MethodBeat")};
    struct weave_rewriter *rewriter = weave_rewriter_create(&beat);
    struct mb_buf bytes = {0};
    struct mb_buf out = {0};
    struct mb_arena arena = {0};
    struct cf_class cls;
    struct weave_result result;
    uint32_t ids[1] = {c->is_traced};
    struct weave_request request = {.cls = &cls, .ids = ids, .focus = c->focus};

    build(c, &bytes);
    cr_assert(eq(int, cf_class_parse(&cls, &arena, bytes.bytes, bytes.size, NULL), MB_OK));
    cr_assert(eq(int, weave_rewrite(rewriter, &request, &out, &result, NULL), MB_OK), "%s",
              c->what);
    cr_expect(eq(sz, result.skip_count, c->skip_count), "%s", c->what);
    cr_expect(eq(int, result.is_changed, c->is_changed), "%s", c->what);
    cr_expect_str_eq(result.focus_skip != NULL ? result.focus_skip : "none",
                     c->focus_skip != NULL ? c->focus_skip : "none", "%s", c->what);
    weave_rewriter_destroy(rewriter);
    mb_arena_finish(&arena);
    mb_buf_finish(&bytes);
    mb_buf_finish(&out);
}

Test(rewrite, huge_methods_keep_their_code)
{
    for (size_t i = 0; i < MB_COUNT(huge_cases); i++) {
        const struct huge_case *c = &huge_cases[i];
        const struct limit_case shape = {.code_size = c->code_size};
        struct weave_beat beat = {.class_name = MB_TEXT("methodbeat/MethodBeat"),
                                  .exceptions = c->exceptions,
                                  .grows_huge = c->grows_huge};
        struct weave_rewriter *rewriter = weave_rewriter_create(&beat);
        struct mb_buf bytes = {0};
        struct mb_buf out = {0};
        struct mb_arena arena = {0};
        struct cf_class cls;
        struct weave_result result;
        const uint32_t ids[1] = {1};
        const bool boundary[1] = {true};
        struct weave_request request = {&cls, ids, c->focus, boundary};

        build(&shape, &bytes);
        cr_assert(eq(int, cf_class_parse(&cls, &arena, bytes.bytes, bytes.size, NULL), MB_OK));
        cr_assert(eq(int, weave_rewrite(rewriter, &request, &out, &result, NULL), MB_OK));
        cr_expect(eq(sz, result.probed_count, c->is_probed), "case %zu", i);
        cr_expect(eq(sz, result.skip_count, !c->is_probed), "case %zu", i);
        cr_expect(c->is_probed || strcmp(result.skips[0].reason, WEAVE_HUGE_REASON) == 0);
        weave_rewriter_destroy(rewriter);
        mb_arena_finish(&arena);
        mb_buf_finish(&bytes);
        mb_buf_finish(&out);
    }
}
