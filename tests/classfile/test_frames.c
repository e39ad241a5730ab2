#include "classfile/frames.h"

#include "base/check.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static const struct cf_class no_class;

/* Every form at once, at pcs 0, 5, 70, 71, 72, 73, 80, 81. */
static const uint8_t all_forms[] = {
    0,   8,                  /* number_of_entries */
    0,                       /* same, pc 0 */
    68,  1,                  /* same_locals_1, +4: pc 5, int */
    251, 0, 64,              /* same_extended: pc 70 */
    247, 0, 0,  7, 0,  9,    /* same_locals_1_extended: pc 71, class 9 */
    249, 0, 0,               /* chop 2: pc 72 */
    253, 0, 0,  8, 0,  5, 4, /* append 2: pc 73, uninitialized of pc 5, long */
    255, 0, 6,               /* full: pc 80 */
    0,   2, 6,  8, 0,  5,    /*   uninitializedThis, uninitialized of pc 5 */
    0,   1, 8,  0, 70,       /*   uninitialized of pc 70 */
    0,                       /* same: pc 81 */
};

static struct cf_attribute table_of(const uint8_t *bytes, size_t size)
{
    return (struct cf_attribute){
        .kind = CF_ATTRIBUTE_StackMapTable, .bytes = bytes, .size = (uint32_t)size};
}

Test(frames, reads_every_form)
{
    static const struct {
        uint32_t pc;
        unsigned chops;
        unsigned locals;
        unsigned stack;
        unsigned tags;
    } expected[] = {{0, 0, 0, 0, 0},      {5, 0, 0, 1, 0x2}, {70, 0, 0, 0, 0},
                    {71, 0, 0, 1, 0x80},  {72, 2, 0, 0, 0},  {73, 0, 2, 0, 0x110},
                    {80, 0, 2, 1, 0x140}, {81, 0, 0, 0, 0}};
    struct cf_attribute attribute = table_of(all_forms, sizeof(all_forms));
    struct cf_frames frames = cf_frames_of(&no_class, &attribute);
    struct cf_frame frame;
    size_t count = 0;

    for (; cf_frames_next(&frames, &frame); count++) {
        cr_assert(lt(sz, count, MB_COUNT(expected)));
        cr_expect(eq(u32, frame.pc, expected[count].pc), "%zu", count);
        cr_expect(eq(u32, frame.chop_count, expected[count].chops), "%zu", count);
        cr_expect(eq(u32, frame.local_count, expected[count].locals), "%zu", count);
        cr_expect(eq(u32, frame.stack_count, expected[count].stack), "%zu", count);
        cr_expect(eq(u32, frame.tags, expected[count].tags), "%zu", count);
    }
    cr_assert(eq(sz, count, MB_COUNT(expected)));
    cr_assert(eq(int, cf_frames_check(&frames, NULL), MB_OK));
}

struct move_case {
    const char *what;
    uint8_t old[24];
    size_t old_size;
    uint8_t moved[24];
    size_t moved_size;
};

/* All with 4 bytes put before pc 0 and 3 before pc 10; pc 20 grows by 2. */
static const struct cf_offset_point points[] = {{0, 4}, {20, 7}, {41, 9}};

enum { CODE_SIZE = 100 };

static uint16_t shifts[2 * CODE_SIZE + CF_SHIFTS_SPARE];

static struct cf_offsets map(void)
{
    struct cf_offsets offsets;

    cf_offsets_fill(&offsets, points, MB_COUNT(points), CODE_SIZE, shifts);
    return offsets;
}

static const struct move_case move_cases[] = {
    {"no frames", {0, 0}, 2, {0, 0}, 2},
    {"pc 0 lands behind what was put before it", {0, 1, 0}, 3, {0, 1, 4}, 3},
    {"pc 10 lands at what was put before it", {0, 1, 10}, 3, {0, 1, 14}, 3},
    {"pc 11 lands behind it", {0, 1, 11}, 3, {0, 1, 18}, 3},
    {"delta 54 -> 63 stays short", {0, 1, 54}, 3, {0, 1, 63}, 3},
    {"delta 55 -> 64 becomes same_frame_extended", {0, 1, 55}, 3, {0, 1, 251, 0, 64}, 5},
    {"one type becomes extended too", {0, 1, 64 + 63, 7, 0, 1}, 6, {0, 1, 247, 0, 72, 7, 0, 1}, 8},
    {"an extended form stays though the delta is short",
     {0, 1, 251, 0, 1},
     5,
     {0, 1, 251, 0, 5},
     5},
    {"only the delta that crosses an insertion changes", {0, 3, 9, 0, 0}, 5, {0, 3, 13, 0, 3}, 5},
    {"uninitialized of pc 10 means the new, behind what was put before it",
     {0, 1, 252, 0, 30, 8, 0, 10},
     8,
     {0, 1, 252, 0, 39, 8, 0, 17},
     8},
    {"uninitialized of pc 20 is where pc 20 begins",
     {0, 1, 255, 0, 20, 0, 1, 8, 0, 20, 0, 1, 8, 0, 0},
     15,
     {0, 1, 255, 0, 27, 0, 1, 8, 0, 27, 0, 1, 8, 0, 4},
     15},
};

/* The attribute comes out as these bytes. */
static void expect_moved(const char *what, const struct cf_attribute *attribute,
                         const struct cf_offsets *offsets, const struct cf_extra_frame *extra,
                         const uint8_t *expected, size_t size)
{
    struct mb_buf out = {0};

    cr_assert(eq(int, cf_frames_relocate(&no_class, attribute, offsets, extra, &out, NULL), MB_OK),
              "%s", what);
    cr_assert(eq(sz, out.size, size), "%s", what);
    cr_assert_arr_eq(out.bytes, expected, out.size, "%s", what);
    mb_buf_finish(&out);
}

EACH_ROW(frames, move, move_cases);

ParameterizedTest(size_t *row, frames, move)
{
    const struct move_case *c = &move_cases[*row];
    struct cf_attribute attribute = table_of(c->old, c->old_size);
    struct cf_offsets offsets = map();

    expect_moved(c->what, &attribute, &offsets, NULL, c->moved, c->moved_size);
}

Test(frames, nothing_moved_gives_the_same_bytes)
{
    struct cf_attribute attribute = table_of(all_forms, sizeof(all_forms));
    struct cf_offsets offsets = {0};

    expect_moved("as it was", &attribute, &offsets, NULL, all_forms, sizeof(all_forms));
}

Test(frames, an_extra_frame_follows_the_old_ones)
{
    static const uint8_t old[] = {0, 1, 9};
    static const uint8_t handler[] = {0, 0, 0, 1, 7, 1, 2};
    static const uint8_t expected[] = {0, 2, 13, 255, 0, 86, 0, 0, 0, 1, 7, 1, 2};
    struct cf_attribute attribute = table_of(old, sizeof(old));
    struct cf_offsets offsets = map();
    struct cf_extra_frame extra = {.bytes = handler, .size = sizeof(handler), .pc = 100};
    struct mb_buf out = {0};

    expect_moved("behind", &attribute, &offsets, &extra, expected, sizeof(expected));
    extra.pc = 13; /* where the old frame is already */
    cr_assert(eq(int, cf_frames_relocate(&no_class, &attribute, &offsets, &extra, &out, NULL),
                 MB_BAD_CLASS));
    mb_buf_finish(&out);
}

Test(frames, stack_map_of_cldc_has_absolute_pcs)
{
    static const uint8_t old[] = {0, 2, 0, 9, 0, 1, 8, 0, 10, 0, 0, 0, 21, 0, 0, 0, 1, 1};
    static const uint8_t expected[] = {0,  3, 0, 13, 0, 1, 8, 0,  17, 0, 0, 0,
                                       30, 0, 0, 0,  1, 1, 0, 99, 0,  0, 0, 0};
    static const uint8_t empty[4] = {0};
    struct cf_attribute attribute = {
        .kind = CF_ATTRIBUTE_StackMap, .bytes = old, .size = sizeof(old)};
    struct cf_offsets offsets = map();
    struct cf_extra_frame extra = {.bytes = empty, .size = sizeof(empty), .pc = 99};

    expect_moved("StackMap", &attribute, &offsets, &extra, expected, sizeof(expected));
}

static const struct {
    const char *what;
    uint8_t bytes[16];
    size_t size;
} bad_cases[] = {
    {"empty", {0}, 0},
    {"half a count", {0}, 1},
    {"a frame is missing", {0, 1}, 2},
    {"bytes behind the last frame", {0, 1, 5, 5}, 4},
    {"reserved frame type 128", {0, 1, 128, 0, 0}, 5},
    {"reserved frame type 246", {0, 1, 246, 0, 0}, 5},
    {"delta cut off", {0, 1, 251, 0}, 4},
    {"type missing", {0, 1, 64}, 3},
    {"unknown type 9", {0, 1, 64, 9}, 4},
    {"class index cut off", {0, 1, 64, 7, 0}, 5},
    {"number of locals cut off", {0, 1, 255, 0, 0, 0}, 6},
    {"more locals than bytes", {0, 1, 255, 0, 0, 255, 255, 1, 0, 0}, 10},
    {"more stack than bytes", {0, 1, 255, 0, 0, 0, 0, 255, 255, 1}, 10},
    {"pcs past 65535", {0, 2, 251, 255, 255, 0}, 6},
};

Test(frames, malformed_frames_are_refused)
{
    for (size_t i = 0; i < MB_COUNT(bad_cases); i++) {
        uint8_t *bytes = malloc(bad_cases[i].size); /* exact, so that sanitizers see overruns */
        struct cf_attribute attribute = table_of(bytes, bad_cases[i].size);
        struct cf_offsets offsets = {0};
        struct mb_buf out = {0};

        memcpy(bytes, bad_cases[i].bytes, bad_cases[i].size);
        cr_expect(eq(int, cf_frames_relocate(&no_class, &attribute, &offsets, NULL, &out, NULL),
                     MB_BAD_CLASS),
                  "%s", bad_cases[i].what);
        cr_expect(eq(sz, out.size, 0), "%s", bad_cases[i].what);
        free(bytes);
        mb_buf_finish(&out);
    }
}
