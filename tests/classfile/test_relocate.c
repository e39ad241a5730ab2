/* Code moved apart: what was inserted, what was moved, and limits. The same over real classes:
 * tests/corpus/roundtrip.c. */

#include "class_builder.h"
#include "classfile/relocate.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define NOPS 0x00, 0x00, 0x00, 0x00 /* what is inserted */

struct move_case {
    const char *what;
    uint8_t code[40];
    uint32_t size;
    uint32_t insertions[3];
    size_t insertion_count;
    uint16_t max_distance;
    uint8_t expected[64];
    uint32_t expected_size;
};

static const struct move_case move_cases[] = {
    {"nothing", {0x01, 0xbf}, 2, {0}, 0, 0, {0x01, 0xbf}, 2},
    {"in front of all", {0x01, 0xbf}, 2, {0}, 1, 0, {NOPS, 0x01, 0xbf}, 6},
    {"a branch to the start passes what is there",
     {0x00, 0xa7, 0xff, 0xff},
     4,
     {0},
     1,
     0,
     {NOPS, 0x00, 0xa7, 0xff, 0xff},
     8},
    {"a branch to another place does not",
     {0xa7, 0, 3, 0xb1},
     4,
     {3},
     1,
     0,
     {0xa7, 0, 3, NOPS, 0xb1},
     8},
    {"a branch over it", {0xa7, 0, 4, 0x00, 0xb1}, 5, {3}, 1, 0, {0xa7, 0, 8, NOPS, 0x00, 0xb1}, 9},
    {"a branch back over it",
     {0x00, 0x00, 0xa7, 0xff, 0xff},
     5,
     {2},
     1,
     0,
     {0x00, 0x00, NOPS, 0xa7, 0xff, 0xfb},
     9},
    {"goto becomes goto_w",
     {0xa7, 0, 4, 0x00, 0xb1},
     5,
     {3},
     1,
     7,
     {0xc8, 0, 0, 0, 10, NOPS, 0x00, 0xb1},
     11},
    {"jsr becomes jsr_w",
     {0xa8, 0, 4, 0x00, 0xb1},
     5,
     {3},
     1,
     7,
     {0xc9, 0, 0, 0, 10, NOPS, 0x00, 0xb1},
     11},
    {"ifeq becomes ifne over a goto_w",
     {0x99, 0, 4, 0x00, 0xb1},
     5,
     {3},
     1,
     7,
     {0x9a, 0, 8, 0xc8, 0, 0, 0, 10, NOPS, 0x00, 0xb1},
     14},
    {"ifnonnull becomes ifnull over a goto_w",
     {0xc7, 0, 4, 0x00, 0xb1},
     5,
     {3},
     1,
     7,
     {0xc6, 0, 8, 0xc8, 0, 0, 0, 10, NOPS, 0x00, 0xb1},
     14},
    {"the padding of a switch grows", /* lookupswitch at 3, no pairs, default 12 */
     {0x00, 0x00, 0x00, 0xab, 0, 0, 0, 9, 0, 0, 0, 0, 0xb1},
     13,
     {12},
     1,
     0,
     {0x00, 0x00, 0x00, 0xab, 0, 0, 0, 9, 0, 0, 0, 0, NOPS, 0xb1},
     17},
    {"tableswitch", /* at 0, low 5, high 5: 5 -> 21, default -> 20 */
     {0xaa, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 21, 0xb1, 0xb1},
     22,
     {21},
     1,
     0,
     {0xaa, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 21, 0xb1, NOPS, 0xb1},
     26},
};

EACH_ROW(relocate, moves, move_cases);

/* Relocate a method of this code, with or without stack map frames; gives its new Code attribute.
 */
static enum mb_status relocate_with(const uint8_t *code, uint32_t size,
                                    const struct built_attribute *frames, struct cf_edit *edit,
                                    struct mb_buf *out, struct mb_error *err)
{
    static struct cf_scan scan;
    struct class_builder builder;
    struct mb_buf bytes = {0};
    struct mb_arena arena = {0};
    struct cf_class cls;
    struct cf_code parsed;
    struct cf_relocator *relocator = cf_relocator_create();

    class_builder_init(&builder, "a/B", "a/C");
    class_builder_add_method(&builder, &(struct built_method){.name = "run",
                                                              .descriptor = "()V",
                                                              .max_stack = 3,
                                                              .code = code,
                                                              .code_size = size,
                                                              .attributes = frames,
                                                              .attribute_count = frames != NULL});
    class_builder_write(&builder, &bytes);
    class_builder_finish(&builder);
    cr_assert(eq(int, cf_class_parse(&cls, &arena, bytes.bytes, bytes.size, NULL), MB_OK));
    cr_assert(eq(int, cf_code_parse(&parsed, &cls, cls.methods, NULL), MB_OK));
    cr_assert(eq(int, cf_scan_code(&scan, &parsed, NULL), MB_OK));
    edit->cls = &cls;
    edit->method = cls.methods;
    edit->code = &parsed;
    edit->scan = &scan;
    enum mb_status status = cf_relocate(relocator, edit, out, err);
    cf_relocator_destroy(relocator);
    mb_arena_finish(&arena);
    mb_buf_finish(&bytes);
    return status;
}

static enum mb_status relocate(const uint8_t *code, uint32_t size, struct cf_edit *edit,
                               struct mb_buf *out, struct mb_error *err)
{
    return relocate_with(code, size, NULL, edit, out, err);
}

ParameterizedTest(size_t *row, relocate, moves)
{
    static const uint8_t inserted[] = {NOPS};
    const struct move_case *c = &move_cases[*row];
    struct cf_insertion insertions[3];
    struct cf_edit edit = {.insertions = insertions,
                           .insertion_count = c->insertion_count,
                           .max_distance = c->max_distance,
                           .extra_stack = 2};
    struct mb_buf out = {0};

    for (size_t i = 0; i < c->insertion_count; i++) {
        insertions[i] = (struct cf_insertion){inserted, sizeof(inserted), c->insertions[i]};
    }
    cr_assert(eq(int, relocate(c->code, c->size, &edit, &out, NULL), MB_OK), "%s", c->what);
    cr_expect(eq(u16, mb_get_u2(out.bytes + 6), 5), "max_stack");
    cr_assert(eq(u32, mb_get_u4(out.bytes + 10), c->expected_size), "%s", c->what);
    cr_expect(eq(int, memcmp(out.bytes + 14, c->expected, c->expected_size), 0), "%s", c->what);
    cr_expect(eq(u32, mb_get_u4(out.bytes + 2), out.size - 6), "attribute_length");
    mb_buf_finish(&out);
}

Test(relocate, limits_are_told)
{
    static uint8_t code[65535];
    static const uint8_t inserted[] = {NOPS};
    struct cf_insertion insertion = {inserted, sizeof(inserted), 0};
    struct cf_edit edit = {.insertions = &insertion, .insertion_count = 1};
    struct mb_buf out = {0};
    struct mb_error err = {0};

    code[65530] = code[65534] = 0xb1;
    cr_expect(eq(int, relocate(code, 65531, &edit, &out, &err), MB_OK), "exactly 65,535");
    cr_expect(eq(int, relocate(code, 65535, &edit, &out, &err), MB_TOO_LARGE));
    cr_expect_str_eq(err.reason, "code over 65535 bytes");
    edit.insertion_count = 0;
    edit.extra_stack = UINT16_MAX - 2; /* 3 are there */
    cr_expect(eq(int, relocate(code, 65535, &edit, &out, &err), MB_TOO_LARGE));
    cr_expect_str_eq(err.reason, "max_stack over 65535");
    mb_buf_finish(&out);
}

/* What used to fall through comes to be jumped to. */
Test(relocate, conditional_jumps_do_not_grow_beside_frames)
{
    static const uint8_t table[] = {0, 1, 4}; /* same, pc 4 */
    static const struct built_attribute frames = {"StackMapTable", table, sizeof(table)};
    static const uint8_t jump[] = {0x99, 0, 4, 0x00, 0xb1};
    static const uint8_t only_goto[] = {0xa7, 0, 4, 0x00, 0xb1};
    static const uint8_t inserted[] = {NOPS};
    struct cf_insertion insertion = {inserted, sizeof(inserted), 3};
    struct cf_edit edit = {.insertions = &insertion, .insertion_count = 1, .max_distance = 7};
    struct mb_buf out = {0};
    struct mb_error err = {0};

    cr_expect(eq(int, relocate_with(jump, 5, &frames, &edit, &out, &err), MB_UNSUPPORTED));
    cr_expect_str_eq(err.reason, "a jump over 32767 bytes needs another stack map frame");
    cr_expect(eq(int, relocate_with(only_goto, 5, &frames, &edit, &out, &err), MB_OK));
    edit.max_distance = 8;
    cr_expect(eq(int, relocate_with(jump, 5, &frames, &edit, &out, &err), MB_OK));
    mb_buf_finish(&out);
}
