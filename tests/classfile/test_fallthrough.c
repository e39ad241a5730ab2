/* Frames behind jumps that were widened: what the code says there, not what the last frame said. */

#include "class_builder.h"
#include "classfile/fallthrough.h"
#include "classfile/layout.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <string.h>

#define MOST_FRAMES 4

struct fallthrough_case {
    const char *what;
    uint8_t code[16];
    size_t code_size;
    uint8_t stack_map[8];
    size_t stack_map_size;
    uint8_t frames[MOST_FRAMES][12]; /* in full */
    size_t sizes[MOST_FRAMES];
    uint32_t pcs[MOST_FRAMES];
    size_t count;
};

/* Of a static method (ILa/New;)V; the classes that frames name are added as 40 and 42. */
static const struct fallthrough_case fallthrough_cases[] = {
    {"locals as they are at the jump", /* lconst_0, lstore_2, iload_0, ifeq 8, nop, nop, return */
     {0x09, 0x41, 0x1a, 0x99, 0, 5, 0x00, 0x00, 0xb1},
     9,
     {0, 1, 8}, /* same_frame at 8 */
     3,
     {{0, 3, 1, 7, 0, 40, 4, 0, 0}, {0, 2, 1, 7, 0, 42, 0, 0}},
     {9, 8},
     {6, 8},
     2},
    {"the stack too", /* iconst_1, iload_0, ifeq 6, nop, pop, return */
     {0x04, 0x1a, 0x99, 0, 4, 0x00, 0x57, 0xb1},
     8,
     {0, 1, 70, 1}, /* same_locals_1_stack_item at 6: int */
     4,
     {{0, 2, 1, 7, 0, 40, 0, 1, 1}, {0, 2, 1, 7, 0, 42, 0, 1, 1}},
     {9, 9},
     {5, 6},
     2},
    {"a frame that is there already", /* iload_0, ifeq 4, return */
     {0x1a, 0x99, 0, 3, 0xb1},
     5,
     {0, 1, 4},
     3,
     {{0, 2, 1, 7, 0, 40, 0, 0}},
     {8},
     {4},
     1},
    {"what a frame has dropped stays so", /* iload_0, ifeq 5, nop, iconst_0, ifeq 10, nop, return */
     {0x1a, 0x99, 0, 4, 0x00, 0x03, 0x99, 0, 4, 0x00, 0xb1},
     11,
     {0, 2, 250, 0, 5, 4}, /* chop 1 at 5, same_frame at 10 */
     6,
     {{0, 2, 1, 7, 0, 40, 0, 0}, {0, 1, 1, 0, 0}, {0, 1, 1, 0, 0}, {0, 1, 1, 0, 0}},
     {8, 5, 5, 5},
     {4, 5, 9, 10},
     4},
};

ParameterizedTestParameters(fallthrough, frames)
{
    static size_t rows[MB_COUNT(fallthrough_cases)];

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        rows[i] = i;
    }
    return cr_make_param_array(size_t, rows, MB_COUNT(rows));
}

struct world {
    struct mb_buf bytes;
    struct mb_arena arena;
    struct cf_class cls;
    struct cf_code code;
    struct cf_attribute stack_map;
    struct cf_constants constants;
    struct cf_frame_list list;
};

static struct cf_scan scan;

static void init(struct world *w, const struct fallthrough_case *c)
{
    struct class_builder builder;
    const struct built_attribute stack_map = {"StackMapTable", c->stack_map, c->stack_map_size};

    *w = (struct world){0};
    class_builder_init(&builder, "a/B", "java/lang/Object");
    class_builder_add_method(&builder, &(struct built_method){.name = "run",
                                                              .descriptor = "(ILa/New;)V",
                                                              .access_flags = 8,
                                                              .max_stack = 2,
                                                              .max_locals = 4,
                                                              .code = c->code,
                                                              .code_size = c->code_size,
                                                              .attributes = &stack_map,
                                                              .attribute_count = 1});
    while (builder.pool_count < 39) {
        (void)class_builder_add_utf8(&builder, "");
    }
    class_builder_write(&builder, &w->bytes);
    class_builder_finish(&builder);
    cr_assert(
        eq(int, cf_class_parse(&w->cls, &w->arena, w->bytes.bytes, w->bytes.size, NULL), MB_OK));
    cr_assert(eq(int, cf_code_parse(&w->code, &w->cls, w->cls.methods, NULL), MB_OK));
    cr_assert(eq(int, cf_scan_code(&scan, &w->code, NULL), MB_OK));
    struct cf_attributes attributes = cf_code_attributes(&w->cls, &w->code);
    cr_assert(cf_attributes_next(&attributes, &w->stack_map));
}

/* Every jump is widened. */
static enum mb_status make_frames(struct world *w, struct mb_error *err)
{
    static const struct cf_offsets nothing_moves = {0};
    struct cf_edit edit = {.cls = &w->cls,
                           .method = w->cls.methods,
                           .code = &w->code,
                           .scan = &scan,
                           .constants = &w->constants};

    for (size_t i = 0; i < scan.site_count; i++) {
        scan.sites[i].growth = CF_GROWTH_JUMP;
    }
    return cf_fallthrough_frames(&edit, &w->stack_map, &nothing_moves, &w->arena, &w->list, err);
}

static void finish(struct world *w)
{
    cf_constants_finish(&w->constants);
    mb_arena_finish(&w->arena);
    mb_buf_finish(&w->bytes);
}

ParameterizedTest(size_t *row, fallthrough, frames)
{
    const struct fallthrough_case *c = &fallthrough_cases[*row];
    struct world w;

    init(&w, c);
    cf_constants_start(&w.constants, &w.cls.pool);
    cr_assert(eq(int, make_frames(&w, NULL), MB_OK), "%s", c->what);
    cr_assert(eq(sz, w.list.count, c->count), "%s", c->what);
    for (size_t i = 0; i < c->count; i++) {
        cr_expect(eq(u32, w.list.frames[i].pc, c->pcs[i]), "%s", c->what);
        cr_assert(eq(u32, w.list.frames[i].size, c->sizes[i]), "%s, frame %zu", c->what, i);
        cr_expect(eq(int, memcmp(w.list.frames[i].bytes, c->frames[i], c->sizes[i]), 0),
                  "%s, frame %zu", c->what, i);
    }
    finish(&w);
}

Test(fallthrough, jumps_that_stay_short_need_none)
{
    struct world w;

    init(&w, &fallthrough_cases[0]);
    cf_constants_start(&w.constants, &w.cls.pool);
    cr_assert(eq(int, make_frames(&w, NULL), MB_OK));
    scan.sites[0].growth = 0;
    struct cf_edit edit = {.cls = &w.cls,
                           .method = w.cls.methods,
                           .code = &w.code,
                           .scan = &scan,
                           .constants = &w.constants};
    cr_assert(eq(int,
                 cf_fallthrough_frames(&edit, &w.stack_map, &(struct cf_offsets){0}, &w.arena,
                                       &w.list, NULL),
                 MB_OK));
    cr_expect(eq(sz, w.list.count, 1), "the old one");
    finish(&w);
}

Test(fallthrough, a_full_pool_is_a_limit)
{
    static const struct cf_pool full = {.count = CF_MAX_POOL_COUNT - 1};
    struct world w;
    struct mb_error err;

    init(&w, &fallthrough_cases[0]);
    cf_constants_start(&w.constants, &full);
    cr_assert(eq(int, make_frames(&w, &err), MB_TOO_LARGE));
    cr_expect_str_eq(err.reason, "a jump over 32767 bytes needs a frame that cannot be written");
    finish(&w);
}
