/* States written as full frames. */

#include "classfile/simulate.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#define TOP                \
    {                      \
        .tag = CF_TYPE_TOP \
    }
#define INT                    \
    {                          \
        .tag = CF_TYPE_INTEGER \
    }
#define LONG                  \
    {.tag = CF_TYPE_LONG},    \
    {                         \
        .tag = CF_SLOT_SECOND \
    }
#define OBJECT(index)                           \
    {                                           \
        .tag = CF_TYPE_OBJECT, .value = (index) \
    }
#define NAMED(text)                                      \
    {                                                    \
        .tag = CF_TYPE_OBJECT, .name = MB_TEXT_ROW(text) \
    }
#define ELEMENTS(text)                                                       \
    {                                                                        \
        .tag = CF_TYPE_OBJECT, .name = MB_TEXT_ROW(text), .is_element = true \
    }

struct frame_case {
    const char *what;
    struct cf_slot locals[4];
    struct cf_slot stack[4];
    uint32_t depth;
    uint8_t frame[24];
    size_t size;          /* 0: no frame can say it */
    const char *constant; /* that is added */
};

/* constant_pool_count is 5 before: a class that is added is Utf8 5, Class 6. */
static const struct frame_case frame_cases[] = {
    {"nothing", {TOP, TOP, TOP, TOP}, {TOP}, 0, {0, 0, 0, 0}, 4, NULL},
    {"top at the end is left out", {INT, TOP, INT, TOP}, {TOP}, 0, {0, 3, 1, 0, 1, 0, 0}, 7, NULL},
    {"a long is one type", {LONG, INT, TOP}, {LONG, INT}, 3, {0, 2, 4, 1, 0, 2, 4, 1}, 8, NULL},
    {"a class of the pool", {OBJECT(3), TOP, TOP, TOP}, {TOP}, 0, {0, 1, 7, 0, 3, 0, 0}, 7, NULL},
    {"a class by name", {NAMED("a/B"), TOP, TOP, TOP}, {TOP}, 0, {0, 1, 7, 0, 6, 0, 0}, 7, "a/B"},
    {"an array of a class",
     {TOP, TOP, TOP, TOP},
     {ELEMENTS("a/B")},
     1,
     {0, 0, 0, 1, 7, 0, 6},
     7,
     "[La/B;"},
    {"an array of an array",
     {TOP, TOP, TOP, TOP},
     {ELEMENTS("[I")},
     1,
     {0, 0, 0, 1, 7, 0, 6},
     7,
     "[[I"},
    {"uninitialized, moved",
     {{.tag = CF_TYPE_UNINITIALIZED, .value = 9}, TOP, TOP, TOP},
     {TOP},
     0,
     {0, 1, 8, 0, 9, 0, 0},
     7,
     NULL},
    {"uninitialized this",
     {{.tag = CF_TYPE_UNINITIALIZED_THIS}, TOP, TOP, TOP},
     {TOP},
     0,
     {0, 1, 6, 0, 0},
     5,
     NULL},
    {"a return address", {{.tag = CF_SLOT_RETURN_ADDRESS}, TOP, TOP, TOP}, {TOP}, 0, {0}, 0, NULL},
};

ParameterizedTestParameters(state_frame, is_written)
{
    static size_t rows[MB_COUNT(frame_cases)];

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        rows[i] = i;
    }
    return cr_make_param_array(size_t, rows, MB_COUNT(rows));
}

ParameterizedTest(size_t *row, state_frame, is_written)
{
    const struct frame_case *c = &frame_cases[*row];
    struct cf_code code = {.max_locals = 4, .max_stack = 4};
    struct cf_slot locals[4];
    struct cf_slot stack[4];
    struct cf_state state = {.code = &code, .locals = locals, .stack = stack, .depth = c->depth};
    struct cf_pool pool = {.count = 5};
    struct cf_constants constants = {0};
    struct mb_buf out = {0};

    memcpy(locals, c->locals, sizeof(locals));
    memcpy(stack, c->stack, sizeof(stack));
    cf_constants_start(&constants, &pool);
    bool is_written = cf_state_put_frame(&state, &(struct cf_offsets){0}, &constants, &out);
    cr_expect(eq(int, is_written, c->size > 0), "%s", c->what);
    if (is_written) {
        cr_assert(eq(sz, out.size, c->size), "%s", c->what);
        cr_expect(eq(int, memcmp(out.bytes, c->frame, c->size), 0), "%s", c->what);
    }
    cr_expect(eq(u32, constants.count, c->constant != NULL ? 7 : 5), "%s", c->what);
    if (c->constant != NULL) {
        struct mb_text added = {(const char *)constants.bytes.bytes + 3, strlen(c->constant)};
        cr_expect(mb_text_is(added, c->constant), "%s", c->what);
    }
    state.is_broken = true;
    cr_expect(not(cf_state_put_frame(&state, &(struct cf_offsets){0}, &constants, &out)));
    mb_buf_finish(&out);
    cf_constants_finish(&constants);
}

Test(state_frame, a_full_pool_has_no_place_for_a_type)
{
    struct cf_code code = {.max_locals = 1};
    struct cf_slot local = NAMED("a/B");
    struct cf_state state = {.code = &code, .locals = &local};
    struct cf_pool pool = {.count = CF_MAX_POOL_COUNT};
    struct cf_constants constants = {0};
    struct mb_buf out = {0};

    cf_constants_start(&constants, &pool);
    cr_expect(not(cf_state_put_frame(&state, &(struct cf_offsets){0}, &constants, &out)));
    mb_buf_finish(&out);
    cf_constants_finish(&constants);
}
