/* Where handlers begin, and what is put there. */

#include "class_builder.h"
#include "instrument/weave/cover.h"
#include "instrument/weave/rewrite.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* aconst_null, goto 5, nop, pop, return: instructions at 0, 1, 4, 5 and 6. */
static const uint8_t code[] = {0x01, 0xa7, 0, 4, 0x00, 0x57, 0xb1};

struct handlers_case {
    const char *what;
    uint16_t rows[4][4];
    size_t row_count;
    uint16_t pcs[4];
    size_t count;
    enum mb_status status;
};

static const struct handlers_case handlers_cases[] = {
    {"none", {{0}}, 0, {0}, 0, MB_OK},
    {"one", {{0, 1, 5, 0}}, 1, {5}, 1, MB_OK},
    {"each once, in order",
     {{0, 1, 6, 0}, {0, 4, 4, 0}, {1, 5, 6, 0}, {0, 1, 4, 0}},
     4,
     {4, 6},
     2,
     MB_OK},
    {"the first instruction", {{0, 1, 0, 0}}, 1, {0}, 1, MB_OK},
    {"amid an instruction", {{0, 1, 5, 0}, {0, 1, 2, 0}}, 2, {0}, 0, MB_UNSUPPORTED},
};

EACH_ROW(handlers, are_found, handlers_cases);

static void build(const uint16_t (*rows)[4], size_t row_count, struct mb_arena *arena,
                  struct mb_buf *bytes, struct cf_class *cls)
{
    struct class_builder builder;

    class_builder_init(&builder, "a/B", "a/C");
    class_builder_add_method(&builder, &(struct built_method){.name = "run",
                                                              .descriptor = "()V",
                                                              .max_stack = 1,
                                                              .code = code,
                                                              .code_size = sizeof(code),
                                                              .handlers = rows,
                                                              .handler_count = row_count});
    builder.major_version = 49;
    class_builder_write(&builder, bytes);
    class_builder_finish(&builder);
    cr_assert(eq(int, cf_class_parse(cls, arena, bytes->bytes, bytes->size, NULL), MB_OK));
}

ParameterizedTest(size_t *row, handlers, are_found)
{
    const struct handlers_case *c = &handlers_cases[*row];
    struct mb_buf bytes = {0};
    struct mb_arena arena = {0};
    struct cf_class cls;
    struct cf_code parsed;
    struct weave_handlers handlers;

    build(c->rows, c->row_count, &arena, &bytes, &cls);
    cr_assert(eq(int, cf_code_parse(&parsed, &cls, cls.methods, NULL), MB_OK));
    cr_assert(eq(int, weave_handlers_find(&handlers, &parsed, &arena, NULL), c->status), "%s",
              c->what);
    if (c->status == MB_OK) {
        cr_assert(eq(sz, handlers.count, c->count), "%s", c->what);
        for (size_t i = 0; i < c->count; i++) {
            cr_expect(eq(u16, handlers.pcs[i], c->pcs[i]), "%s", c->what);
        }
    }
    mb_arena_finish(&arena);
    mb_buf_finish(&bytes);
}

/* i at entry, c at the handlers, o at the return; both where a handler is a return. */
Test(handlers, get_a_catch_each)
{
    static const uint16_t rows[][4] = {{0, 1, 6, 0}, {0, 4, 5, 0}, {0, 5, 5, 0}};
    static const uint8_t kinds[] = "icco"; /* in the order of the new code */
    struct weave_beat beat = {.class_name = MB_TEXT("methodbeat/MethodBeat"),
                              .exceptions = WEAVE_EXCEPTIONS_CATCH};
    struct weave_rewriter *rewriter = weave_rewriter_create(&beat);
    uint32_t ids[] = {5};
    struct mb_buf bytes = {0};
    struct mb_buf out = {0};
    struct mb_arena arena = {0};
    struct cf_class cls;
    struct cf_code parsed;
    struct weave_result result;
    size_t found = 0;

    build(rows, MB_COUNT(rows), &arena, &bytes, &cls);
    struct weave_request request = {.cls = &cls, .ids = ids};
    cr_assert(eq(int, weave_rewrite(rewriter, &request, &out, &result, NULL), MB_OK));
    cr_assert(eq(int, cf_class_parse(&cls, &arena, out.bytes, out.size, NULL), MB_OK));
    cr_assert(eq(int, cf_code_parse(&parsed, &cls, cls.methods, NULL), MB_OK));
    cr_assert(eq(u32, parsed.size, sizeof(code) + 4 * 4));
    for (uint32_t pc = 0; pc < parsed.size; pc++) {
        struct cf_ref ref;
        if (parsed.bytes[pc] == 0x08 && parsed.bytes[pc + 1] == 0xb8) { /* iconst_5 invokestatic */
            cr_assert(cf_pool_ref(&cls.pool, mb_get_u2(parsed.bytes + pc + 2), &ref));
            cr_expect(eq(int, ref.name.data[0], kinds[found]), "probe %zu", found);
            found++;
        }
    }
    cr_expect(eq(sz, found, 4));
    cr_expect(eq(u16, mb_get_u2(parsed.handlers + 4), 14), "the catch of a handler is part of it");
    cr_expect(eq(u16, mb_get_u2(parsed.handlers + CF_HANDLER_SIZE + 4), 9));
    cr_expect(eq(u16, parsed.max_stack, 2));
    weave_rewriter_destroy(rewriter);
    mb_arena_finish(&arena);
    mb_buf_finish(&bytes);
    mb_buf_finish(&out);
}
