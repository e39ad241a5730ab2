/* What the handler that catches all may cover: all but what lies before this is initialised,
 * returns of methods with monitors, what holds a lock outside of the method's own handlers, and
 * array literals of numbers. */

#include "class_builder.h"
#include "instrument/weave/cover.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

struct cover_case {
    const char *what;
    const char *name;
    uint8_t code[40];
    size_t code_size;
    uint32_t ranges[4][2];
    size_t count;
};

#define SUPER 0xb7, 0, 0                              /* invokespecial; the index is filled in */
#define ELEMENT 0x59, 0x03, 0x04, 0x4f                /* dup, iconst_0, iconst_1, iastore */
#define LITERAL_3 0xbc, 10, ELEMENT, ELEMENT, ELEMENT /* newarray int */
#define LITERAL_4 LITERAL_3, ELEMENT
#define LITERAL(count) LITERAL_##count
#define NEW 0xbb, 0, 1, 0x59 /* new, dup */

static const struct cover_case cover_cases[] = {
    {"the whole body", "run", {0x01, 0xb0}, 2, {{0, 2}}, 1},
    {"returns without monitors", "run", {0x01, 0xb1, 0x01, 0xb1}, 4, {{0, 4}}, 1},
    {"behind super()", "<init>", {0x2a, SUPER, 0x00, 0xb1}, 6, {{4, 6}}, 1},
    {"super() is never called", "<init>", {0x01, 0xbf}, 2, {{0}}, 0},
    {"super(new B(new B()))",
     "<init>",
     {0x2a, NEW, NEW, SUPER, SUPER, SUPER, 0x00, 0xb1},
     20,
     {{18, 20}},
     1},
    {"new B() before super()", "<init>", {NEW, SUPER, 0x57, 0x2a, SUPER, 0xb1}, 13, {{12, 13}}, 1},
    {"new B() behind super()", "<init>", {0x2a, SUPER, NEW, SUPER, 0x57, 0xb1}, 13, {{4, 13}}, 1},
    {"a jump before super()", "<init>", {0x03, 0x99, 0, 3, 0x2a, SUPER, 0xb1}, 9, {{0}}, 0},
    {"a jump behind super()", "<init>", {0x2a, SUPER, 0x03, 0x99, 0, 3, 0xb1}, 9, {{4, 9}}, 1},
    {"athrow before super()", "<init>", {0x01, 0xbf, 0x2a, SUPER, 0xb1}, 7, {{0}}, 0},
    {"a method of nearly that name", "init", {0x00, 0xb1}, 2, {{0, 2}}, 1},
    {"a return with a monitor", "run", {0x2a, 0xc2, 0x2a, 0xc3, 0xb1}, 5, {{0, 4}}, 1},
    {"two of them", "run", {0x2a, 0xc2, 0xb1, 0x2a, 0xc3, 0xb1}, 6, {{0, 2}, {3, 5}}, 2},
    {"the first instruction is one", "run", {0xb1, 0x2a, 0xc2, 0x2a, 0xbf}, 5, {{0, 0}, {1, 5}}, 2},
    {"athrow stays covered", "run", {0x2a, 0xc2, 0x2a, 0xc3, 0x2a, 0xbf, 0xb1}, 7, {{0, 6}}, 1},
    {"a constructor with a monitor",
     "<init>",
     {0x2a, SUPER, 0x2a, 0xc2, 0xb1, 0x00, 0xb1},
     9,
     {{4, 6}, {7, 8}},
     2},
    {"an array literal", "run", {0x07, LITERAL(4), 0xb0}, 20, {{0, 1}, {19, 20}}, 2},
    {"a literal of few elements", "run", {0x06, LITERAL(3), 0xb0}, 16, {{0, 16}}, 1},
    {"a literal behind a return with a monitor",
     "run",
     {0x2a, 0xc2, 0xb1, LITERAL(4), 0xb0},
     22,
     {{0, 2}, {21, 21}},
     2},
    {"a literal that is cut", "run", {0x07, LITERAL(3), 0x59, 0x03, 0x04, 0xb1}, 20, {{0, 20}}, 1},
    {"an array of references",
     "run",
     {0x07, 0xbd, 0,    2,    0x59, 0x03, 0x01, 0x53, 0x59, 0x04, 0x01,
      0x53, 0x59, 0x05, 0x01, 0x53, 0x59, 0x06, 0x01, 0x53, 0xb0},
     21,
     {{0, 21}},
     1},
};

EACH_ROW(cover, covers, cover_cases);

#define ENTER 0x2a, 0xc2 /* aload_0, monitorenter */
#define LEAVE 0x2a, 0xc3
#define MAY_THROW 0x12, 1, 0x57         /* ldc, pop */
#define RETHROW 0x4c, LEAVE, 0x2b, 0xbf /* astore_1, LEAVE, aload_1, athrow */

/* Where a lock is held: ART's verifier must not see one of our handlers with it and without it. */
struct lock_case {
    struct cover_case cover;
    uint16_t handlers[3][4]; /* start_pc, end_pc, handler_pc, catch_type */
    size_t handler_count;
};

static const struct lock_case lock_cases[] = {
    {.cover = {"as javac writes it: its own handler is in front of ours",
               "run",
               {ENTER, MAY_THROW, LEAVE, 0xb1, RETHROW},
               13,
               {{0, 7}, {8, 13}},
               2},
     .handlers = {{2, 7, 8, 0}, {8, 11, 8, 0}},
     .handler_count = 2},
    {.cover = {"as Kotlin does: monitorexit outside",
               "run",
               {ENTER, MAY_THROW, LEAVE, 0xb1, RETHROW},
               13,
               {{0, 7}, {8, 13}},
               2},
     .handlers = {{2, 5, 8, 0}},
     .handler_count = 1},
    {.cover = {"no handler", "run", {ENTER, MAY_THROW, LEAVE, 0xb1}, 8, {{0, 2}, {7, 7}}, 2}},
    {.cover = {"a gap behind the handler's range",
               "run",
               {ENTER, 0x03, 0x3c, MAY_THROW, MAY_THROW, 0x1b, 0x04, 0x60, LEAVE, 0xb1, RETHROW},
               21,
               {{0, 7}, {15, 15}, {16, 21}},
               3},
     .handlers = {{2, 7, 16, 0}},
     .handler_count = 1},
    {.cover = {"a gap before it",
               "run",
               {ENTER, MAY_THROW, MAY_THROW, LEAVE, 0xb1, RETHROW},
               16,
               {{0, 2}, {5, 10}, {11, 16}},
               3},
     .handlers = {{5, 8, 11, 0}},
     .handler_count = 1},
    {.cover = {"a handler for some exceptions",
               "run",
               {ENTER, MAY_THROW, LEAVE, 0xb1, RETHROW},
               13,
               {{0, 2}, {7, 7}, {8, 13}},
               3},
     .handlers = {{2, 5, 8, 2}},
     .handler_count = 1},
    {.cover = {"behind it one for all",
               "run",
               {ENTER, MAY_THROW, LEAVE, 0xb1, RETHROW},
               13,
               {{0, 7}, {8, 13}},
               2},
     .handlers = {{2, 5, 8, 2}, {2, 5, 8, 0}},
     .handler_count = 2},
    {.cover = {"the catch around a block runs without its lock: the inner handler takes all",
               "run",
               {ENTER, MAY_THROW, LEAVE, 0xb1, RETHROW, 0x57, MAY_THROW, 0xb1},
               18,
               {{0, 7}, {8, 17}},
               2},
     .handlers = {{2, 7, 8, 0}, {8, 11, 8, 0}, {0, 13, 13, 2}},
     .handler_count = 3},
    {.cover = {"two locks",
               "run",
               {ENTER, ENTER, LEAVE, MAY_THROW, LEAVE, MAY_THROW, 0xb1},
               15,
               {{0, 3}, {11, 14}},
               2}},
    {.cover = {"a loop",
               "run",
               {ENTER, MAY_THROW, LEAVE, MAY_THROW, 0x03, 0x99, 0xff, 0xf5, 0xb1},
               15,
               {{0, 2}, {7, 14}},
               2}},
    {.cover = {"a switch",
               "run",
               {ENTER, 0x03, 0xaa, 0, 0, 0, 20, 0,  0,         0,     0,
                0,     0,    0,    0, 0, 0, 0,  17, MAY_THROW, LEAVE, 0xb1},
               26,
               {{0, 20}, {25, 25}},
               2}},
    {.cover = {"on one of two paths",
               "run",
               {0x03, 0x99, 0, 6, ENTER, 0x00, MAY_THROW, LEAVE, 0xb1},
               13,
               {{0, 7}, {12, 12}},
               2}},
    {.cover = {"code that is never reached",
               "run",
               {0xb1, ENTER, MAY_THROW, LEAVE, 0xb1},
               9,
               {{0, 0}, {1, 8}},
               2}},
    {.cover = {"jsr",
               "run",
               {ENTER, 0xa8, 0, 4, 0xb1, 0x4c, MAY_THROW, 0xa9, 1},
               12,
               {{0, 5}, {6, 12}},
               2}},
    {.cover = {"before super()",
               "<init>",
               {ENTER, MAY_THROW, LEAVE, 0x2a, SUPER, MAY_THROW, 0xb1},
               15,
               {{11, 14}},
               1}},
};

static void build(const struct cover_case *c, const struct built_method *more, struct mb_buf *out)
{
    struct class_builder builder;
    uint8_t code[sizeof(c->code) + 2] = {0};

    class_builder_init(&builder, "a/B", "java/lang/Object");
    memcpy(code, c->code, sizeof(c->code));
    for (size_t i = 0; i + 2 < c->code_size; i++) {
        if (code[i] == 0xb7) {
            mb_set_u2(code + i + 1,
                      class_builder_add_method_ref(&builder, "java/lang/Object", "<init>", "()V"));
        }
    }
    struct built_method method = *more;
    method.name = c->name;
    method.descriptor = "()V";
    method.code = more->code != NULL ? more->code : code;
    method.code_size = more->code != NULL ? more->code_size : c->code_size;
    class_builder_add_method(&builder, &method);
    class_builder_write(&builder, out);
    class_builder_finish(&builder);
}

/* The fixture of one method: parsed, scanned, covered. */
struct world {
    struct mb_buf bytes;
    struct mb_arena arena;
    struct cf_class cls;
    struct cf_code code;
    struct cf_edit edit;
    bool has_lock_gaps;
};

static enum mb_status cover(struct world *world, const struct cover_case *c,
                            const struct built_method *more)
{
    static struct cf_scan scan;

    build(c, more, &world->bytes);
    cr_assert(
        eq(int,
           cf_class_parse(&world->cls, &world->arena, world->bytes.bytes, world->bytes.size, NULL),
           MB_OK));
    cr_assert(eq(int, cf_code_parse(&world->code, &world->cls, world->cls.methods, NULL), MB_OK));
    cr_assert(eq(int, cf_scan_code(&scan, &world->code, NULL), MB_OK), "%s", c->what);
    world->edit = (struct cf_edit){
        .cls = &world->cls, .method = world->cls.methods, .code = &world->code, .scan = &scan};
    return weave_cover(&world->edit, &world->has_lock_gaps, &world->arena, NULL);
}

static void finish(struct world *world)
{
    mb_arena_finish(&world->arena);
    mb_buf_finish(&world->bytes);
}

static void expect_ranges(const struct cover_case *c, const struct built_method *more)
{
    struct world world = {0};

    cr_assert(eq(int, cover(&world, c, more), MB_OK), "%s", c->what);
    cr_assert(eq(sz, world.edit.covered_count, c->count), "%s", c->what);
    for (size_t i = 0; i < c->count; i++) {
        cr_expect(eq(u32, world.edit.covered[i].start_pc, c->ranges[i][0]), "%s", c->what);
        cr_expect(eq(u32, world.edit.covered[i].end_pc, c->ranges[i][1]), "%s", c->what);
    }
    finish(&world);
}

ParameterizedTest(size_t *row, cover, covers)
{
    expect_ranges(&cover_cases[*row], &(struct built_method){0});
}

Test(cover, leaves_out_what_holds_a_lock_without_a_handler)
{
    for (size_t i = 0; i < MB_COUNT(lock_cases); i++) {
        const struct lock_case *c = &lock_cases[i];
        expect_ranges(&c->cover, &(struct built_method){.handlers = c->handlers,
                                                        .handler_count = c->handler_count});
    }
}

Test(cover, leaves_out_a_probe_that_is_called_with_a_lock)
{
    static const uint16_t handlers[1][4] = {{2, 5, 8, 0}};
    const struct cover_case c = {.what = "a probe at a handler",
                                 .name = "run",
                                 .code = {ENTER, MAY_THROW, LEAVE, 0xb1, RETHROW},
                                 .code_size = 13};
    const struct cf_insertion probe = {.pc = 8, .size = 4};
    struct world world = {0};

    cr_assert(
        eq(int, cover(&world, &c, &(struct built_method){.handlers = handlers, .handler_count = 1}),
           MB_OK));
    world.edit.insertions = &probe;
    world.edit.insertion_count = 1;
    cr_assert(eq(int, weave_cover(&world.edit, &world.has_lock_gaps, &world.arena, NULL), MB_OK));
    cr_assert(eq(sz, world.edit.covered_count, 2));
    cr_expect(eq(u32, world.edit.covered[0].end_pc, 7));
    cr_expect(not(world.edit.covered[0].ends_before_insertion)); /* o before the return */
    cr_expect(eq(u32, world.edit.covered[1].start_pc, 11));
    cr_expect(world.has_lock_gaps);
    finish(&world);
}

/* As many rows over as many instructions as there may be: no question of hours. */
Test(cover, gives_up_where_handlers_take_too_long_to_follow)
{
    static uint16_t rows[60000][4];
    static uint8_t code[60000];
    struct world world = {0};
    const struct cover_case c = {.what = "many handlers", .name = "run"};

    code[0] = 0x2a;
    code[1] = 0xc2;
    for (size_t i = 2; i + 1 < sizeof(code); i++) {
        code[i] = 0xbe; /* arraylength */
    }
    code[sizeof(code) - 1] = 0xb1;
    for (uint16_t i = 0; i < MB_COUNT(rows); i++) {
        memcpy(rows[i], (const uint16_t[4]){0, 59999, 2, 2}, sizeof(rows[i]));
    }
    const struct built_method more = {.code = code,
                                      .code_size = sizeof(code),
                                      .handlers = (const uint16_t(*)[4])rows,
                                      .handler_count = MB_COUNT(rows)};
    cr_assert(eq(int, cover(&world, &c, &more), MB_OK));
    cr_expect(not(world.has_lock_gaps));
    finish(&world);
}

static const struct cover_case constructor = {
    "a constructor", "<init>", {0x2a, SUPER, 0x00, 0xb1, 0x00, 0xb1}, 8, {{0}}, 0};

static size_t count_ranges(const struct built_method *more)
{
    struct world world = {0};

    cr_assert(eq(int, cover(&world, &constructor, more), MB_OK));
    finish(&world);
    return world.edit.covered_count;
}

static size_t count_with_handler(uint16_t start_pc, uint16_t handler_pc)
{
    const uint16_t handlers[1][4] = {{start_pc, (uint16_t)(start_pc + 1), handler_pc, 0}};

    return count_ranges(&(struct built_method){.handlers = handlers, .handler_count = 1});
}

Test(cover, handlers_across_super_leave_nothing)
{
    cr_expect(eq(sz, count_with_handler(4, 6), 1));
    cr_expect(eq(sz, count_with_handler(1, 6), 0));
    cr_expect(eq(sz, count_with_handler(1, 4), 0));
}

static size_t count_with_frame(uint8_t tag)
{
    const uint8_t table[] = {0, 1, 255, 0, 6, 0, 1, tag, 0, 0}; /* full, pc 6, one local */
    const struct built_attribute frames = {"StackMapTable", table, sizeof(table)};

    return count_ranges(&(struct built_method){.attributes = &frames, .attribute_count = 1});
}

Test(cover, frames_that_tell_of_no_super_leave_nothing)
{
    cr_expect(eq(sz, count_with_frame(1), 1));
    cr_expect(eq(sz, count_with_frame(6 /* uninitializedThis */), 0));
}
