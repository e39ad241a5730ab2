/* Where in a constructor this is initialised: pictures of code, and what a handler may cover. */

#include "class_builder.h"
#include "classfile/constructor.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

/* Pool indices are fixed by the order in which build() adds entries. */
#define SUPER_INIT 10 /* java/lang/Object.<init>()V */
#define OTHER_INIT 16 /* a/C.<init>()V: of another object */
#define OTHER_CLASS 12
#define SUPER 0xb7, 0, SUPER_INIT

struct range_case {
    const char *what;
    const char *descriptor;
    uint8_t code[48];
    size_t code_size;
    uint16_t handlers[2][4];
    size_t handler_count;
    uint8_t frames[24];
    size_t frames_size; /* 0: no StackMapTable */
    struct cf_range ranges[3];
    size_t range_count;
    enum mb_status status;
};

static const struct range_case range_cases[] = {
    {"super call, return", "()V",
     /*aload_0*/ {0x2a, SUPER, 0xb1}, 5, .ranges = {{4, 5}}, .range_count = 1},
    {"never initialised: throws", "()V",
     /*aconst_null athrow*/ {0x01, 0xbf}, 2, .range_count = 0},
    {"an object of another class is initialised first",
     "()V",
     /*aload_0, new, dup, <init>, pop, super, return*/
     {0x2a, 0xbb, 0, OTHER_CLASS, 0x59, 0xb7, 0, OTHER_INIT, 0x57, SUPER, 0xb1},
     13,
     .ranges = {{12, 13}},
     .range_count = 1},
    {"this goes to local 1 first, as old Kotlin has it", "()V",
     /*aload_0 astore_1 aload_1 super return*/ {0x2a, 0x4c, 0x2b, SUPER, 0xb1}, 7,
     .ranges = {{6, 7}}, .range_count = 1},
    {"swapped and duplicated on the stack",
     "()V",
     /*aload_0 aconst_null swap dup super pop2 return*/
     {0x2a, 0x01, 0x5f, 0x59, SUPER, 0x58, 0xb1},
     9,
     .ranges = {{7, 9}},
     .range_count = 1},
    {"a conditional argument",
     "(I)V",
     /*0 aload_0, 1 iload_1, 2 ifeq 9, 5 nop, 6 goto 9, 9 super, 12 return*/
     {0x2a, 0x1b, 0x99, 0, 7, 0x00, 0xa7, 0, 3, SUPER, 0xb1},
     13,
     .ranges = {{12, 13}},
     .range_count = 1},
    {"two calls on two paths",
     "(I)V",
     /*0 iload_1, 1 ifeq 9, 4 aload_0, 5 super, 8 return, 9 aload_0, 10 super, 13 return*/
     {0x1b, 0x99, 0, 8, 0x2a, SUPER, 0xb1, 0x2a, SUPER, 0xb1},
     14,
     .ranges = {{8, 9}, {13, 14}},
     .range_count = 2},
    {"a switch before the call",
     "(I)V",
     /*0 iload_1, 1 tableswitch 0..0 default -> 20, 0 -> 21*/
     {0x1b, 0xaa, 0, 0, 0, 0, 0, 19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20,
      /*20 nop, 21 aload_0, 22 super, 25 return*/
      0x00, 0x2a, SUPER, 0xb1},
     26,
     .ranges = {{25, 26}},
     .range_count = 1},
    {"a handler before the call, which throws itself", "()V",
     /*0 nop, 1 aload_0, 2 super, 5 return, 6 athrow*/ {0x00, 0x2a, SUPER, 0xb1, 0xbf}, 7,
     .handlers = {{0, 1, 6, 0}}, .handler_count = 1, .ranges = {{5, 6}}, .range_count = 1},
    {"a handler behind the call is free", "()V",
     /*0 aload_0, 1 super, 4 nop, 5 return, 6 athrow*/ {0x2a, SUPER, 0x00, 0xb1, 0xbf}, 7,
     .handlers = {{4, 5, 6, 0}}, .handler_count = 1, .ranges = {{4, 7}}, .range_count = 1},
    {"a loop before the call ends the search",
     "(I)V",
     /*0 iload_1, 1 ifne 0, 4 aload_0, 5 super, 8 return*/
     {0x1b, 0x9a, 0xff, 0xff, 0x2a, SUPER, 0xb1},
     9,
     .ranges = {{8, 9}},
     .range_count = 1},
    {"jsr and ret before the call",
     "()V",
     /*0 jsr 8, 3 aload_0, 4 super, 7 return, 8 astore_1, 9 ret 1*/
     {0xa8, 0, 8, 0x2a, SUPER, 0xb1, 0x4c, 0xa9, 1},
     11,
     .ranges = {{7, 8}},
     .range_count = 1},
    {"long arguments take two locals",
     "(JD)V",
     /*aload_0 lload_1 pop2 dload_3 pop2 super return*/
     {0x2a, 0x1f, 0x58, 0x29, 0x58, SUPER, 0xb1},
     9,
     .ranges = {{8, 9}},
     .range_count = 1},
    {"dead code has what its frame says: this is still uninitialised", "()V",
     /*0 aload_0, 1 super, 4 return, 5 aconst_null, 6 athrow*/ {0x2a, SUPER, 0xb1, 0x01, 0xbf}, 7,
     .frames = {0, 1, 255, 0, 5, 0, 1, 6, 0, 0}, .frames_size = 10, .ranges = {{4, 5}},
     .range_count = 1},
    {"dead code whose frame speaks of an initialised this", "()V",
     /*0 aload_0, 1 super, 4 return, 5 aconst_null, 6 athrow*/ {0x2a, SUPER, 0xb1, 0x01, 0xbf}, 7,
     .frames = {0, 1, 255, 0, 5, 0, 1, 7, 0, 2, 0, 0}, .frames_size = 12, .ranges = {{4, 7}},
     .range_count = 1},
    {"nothing to pop", "()V", {0x57, 0xb1}, 2, .status = MB_UNSUPPORTED},
    {"more than max_stack",
     "()V",
     {0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0xb1},
     7,
     .status = MB_UNSUPPORTED},
    {"a local past max_locals", "()V", {0x2a, 0x3a, 200, 0xb1}, 4, .status = MB_UNSUPPORTED},
    {"an undefined opcode", "()V", {0xfe}, 1, .status = MB_BAD_CLASS},
    {"a method ref that is none", "()V", {0x2a, 0xb7, 0, 1, 0xb1}, 5, .status = MB_UNSUPPORTED},
};

ParameterizedTestParameters(constructor, ranges)
{
    static size_t rows[MB_COUNT(range_cases)];

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        rows[i] = i;
    }
    return cr_make_param_array(size_t, rows, MB_COUNT(rows));
}

static void build(const struct range_case *c, struct mb_buf *out)
{
    struct class_builder builder;
    const struct built_attribute frames = {"StackMapTable", c->frames, c->frames_size};

    class_builder_init(&builder, "a/B", "java/lang/Object");
    cr_assert(eq(u16, class_builder_add_method_ref(&builder, "java/lang/Object", "<init>", "()V"),
                 SUPER_INIT));
    cr_assert(eq(u16, class_builder_add_method_ref(&builder, "a/C", "<init>", "()V"), OTHER_INIT));
    class_builder_add_method(&builder,
                             &(struct built_method){.name = "<init>",
                                                    .descriptor = c->descriptor,
                                                    .max_stack = 5,
                                                    .max_locals = 6,
                                                    .code = c->code,
                                                    .code_size = c->code_size,
                                                    .handlers = c->handlers,
                                                    .handler_count = c->handler_count,
                                                    .attributes = &frames,
                                                    .attribute_count = c->frames_size > 0});
    class_builder_write(&builder, out);
    class_builder_finish(&builder);
}

ParameterizedTest(size_t *row, constructor, ranges)
{
    const struct range_case *c = &range_cases[*row];
    struct mb_buf bytes = {0};
    struct mb_arena arena = {0};
    struct cf_class cls;
    struct cf_code code;
    struct cf_ranges ranges = {0};

    build(c, &bytes);
    cr_assert(eq(int, cf_class_parse(&cls, &arena, bytes.bytes, bytes.size, NULL), MB_OK));
    cr_assert(eq(int, cf_code_parse(&code, &cls, cls.methods, NULL), MB_OK));
    enum mb_status status = cf_constructor_ranges(&cls, cls.methods, &code, &arena, &ranges, NULL);
    cr_expect(eq(int, status, c->status), "%s", c->what);
    cr_assert(eq(sz, ranges.count, c->range_count), "%s", c->what);
    for (size_t i = 0; i < ranges.count; i++) {
        cr_expect(eq(u32, ranges.items[i].start_pc, c->ranges[i].start_pc), "%s", c->what);
        cr_expect(eq(u32, ranges.items[i].end_pc, c->ranges[i].end_pc), "%s", c->what);
    }
    mb_arena_finish(&arena);
    mb_buf_finish(&bytes);
}

/* handler_count handlers at pc 0 around 60,000 instructions before the super call. */
static enum mb_status search_among(uint16_t handler_count)
{
    static uint8_t code[60005];
    static uint16_t handlers[2000][4];
    struct class_builder builder;
    struct mb_buf bytes = {0};
    struct mb_arena arena = {0};
    struct cf_ranges ranges = {0};
    struct cf_class cls;
    struct cf_code parsed;

    memcpy(code + 60000, (const uint8_t[]){0x2a, SUPER, 0xb1}, 5);
    for (uint16_t i = 0; i < handler_count; i++) {
        handlers[i][1] = 60000;
    }
    class_builder_init(&builder, "a/B", "java/lang/Object");
    (void)class_builder_add_method_ref(&builder, "java/lang/Object", "<init>", "()V");
    class_builder_add_method(&builder,
                             &(struct built_method){.name = "<init>",
                                                    .descriptor = "()V",
                                                    .max_stack = 1,
                                                    .max_locals = 1,
                                                    .code = code,
                                                    .code_size = sizeof(code),
                                                    .handlers = (const uint16_t(*)[4])handlers,
                                                    .handler_count = handler_count});
    class_builder_write(&builder, &bytes);
    class_builder_finish(&builder);
    cr_assert(eq(int, cf_class_parse(&cls, &arena, bytes.bytes, bytes.size, NULL), MB_OK));
    cr_assert(eq(int, cf_code_parse(&parsed, &cls, cls.methods, NULL), MB_OK));
    enum mb_status status =
        cf_constructor_ranges(&cls, cls.methods, &parsed, &arena, &ranges, NULL);
    mb_arena_finish(&arena);
    mb_buf_finish(&bytes);
    return status;
}

Test(constructor, a_search_among_too_many_handlers_is_given_up)
{
    cr_expect(eq(int, search_among(200), MB_OK));
    cr_expect(eq(int, search_among(2000), MB_UNSUPPORTED));
}
