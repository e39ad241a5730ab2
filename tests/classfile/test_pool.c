/* Constant pools: where entries are, what they say, and where they break off. */

#include "classfile/pool.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

/* 1 Utf8 "ab", 2 Class 1, 3 Long (and 4), 5 NameAndType 1 1, 6 Fieldref 2 5, 7 String 1,
 * 8 MethodHandle 1 6, 9 InvokeDynamic 0 5, 10 Fieldref 5 5 */
static const uint8_t sound[] = {0,  11,                                                  /**/
                                1,  0,  2, 'a', 'b', 7, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 1, /**/
                                12, 0,  1, 0,   1,   9, 0, 2, 0, 5, 8, 0, 1,             /**/
                                15, 1,  0, 6,   18,  0, 0, 0, 5, 9, 0, 5, 0, 5};

/* A copy of exactly this size, so that sanitizers see what reads past it. */
static enum mb_status parse(struct cf_pool *pool, struct mb_arena *arena, uint8_t **copy,
                            const uint8_t *bytes, size_t size)
{
    *copy = malloc(size > 0 ? size : 1);
    cr_assert(copy[0] != NULL);
    memcpy(*copy, bytes, size);
    struct cf_cursor in = cf_cursor_over(*copy, size);
    enum mb_status status = cf_pool_parse(pool, arena, &in, NULL);
    cr_expect(status != MB_OK || cf_cursor_done(&in));
    return status;
}

Test(pool, says_what_entries_say)
{
    struct cf_pool pool;
    struct mb_arena arena = {0};
    struct cf_ref ref;
    uint8_t *copy;

    cr_assert(eq(int, parse(&pool, &arena, &copy, sound, sizeof(sound)), MB_OK));
    cr_expect(mb_text_is(cf_pool_utf8(&pool, 1), "ab"));
    cr_expect(mb_text_is(cf_pool_class_name(&pool, 2), "ab"));
    cr_expect(mb_text_is(cf_pool_name(&pool, 7), "ab"));
    cr_expect(cf_pool_class_name(&pool, 7).data == NULL, "a String is no class");
    cr_expect(cf_pool_utf8(&pool, 2).data == NULL);
    cr_expect(eq(int, cf_pool_tag(&pool, 3), CF_TAG_LONG));
    cr_expect(eq(int, cf_pool_tag(&pool, 4), 0), "the second index of a Long");
    cr_expect(eq(int, cf_pool_tag(&pool, 0), 0));
    cr_expect(eq(int, cf_pool_tag(&pool, 11), 0));
    cr_assert(cf_pool_ref(&pool, 6, &ref));
    cr_expect(mb_text_is(ref.class_name, "ab") && mb_text_is(ref.name, "ab"));
    cr_assert(cf_pool_ref(&pool, 9, &ref));
    cr_expect(ref.class_name.data == NULL && mb_text_is(ref.descriptor, "ab"));
    cr_expect(not(cf_pool_ref(&pool, 10, &ref)), "its class is none");
    cr_expect(not(cf_pool_ref(&pool, 5, &ref)));
    free(copy);
    mb_arena_finish(&arena);
}

Test(pool, no_start_of_a_pool_is_a_pool)
{
    for (size_t size = 0; size < sizeof(sound); size++) {
        struct cf_pool pool;
        struct mb_arena arena = {0};
        uint8_t *copy;

        cr_expect(eq(int, parse(&pool, &arena, &copy, sound, size), MB_BAD_CLASS), "%zu", size);
        free(copy);
        mb_arena_finish(&arena);
    }
}

struct bad_case {
    const char *what;
    uint8_t bytes[16];
    size_t size;
};

static const struct bad_case bad_cases[] = {
    {"a count of 0", {0, 0}, 2},
    {"an unknown tag", {0, 2, 2, 0, 0, 0, 0}, 7},
    {"tag 0", {0, 2, 0, 0, 0, 0, 0}, 7},
    {"tag 255", {0, 2, 255, 0, 0, 0, 0}, 7},
    {"a Long that is the last", {0, 2, 5, 0, 0, 0, 0, 0, 0, 0, 1}, 11},
    {"a Utf8 past the end", {0, 2, 1, 0, 2, 'a'}, 6},
    {"more entries than bytes", {0xff, 0xff, 1, 0, 0}, 5},
};

EACH_ROW(pool, refuses, bad_cases);

ParameterizedTest(size_t *row, pool, refuses)
{
    const struct bad_case *c = &bad_cases[*row];
    struct cf_pool pool;
    struct mb_arena arena = {0};
    uint8_t *copy;

    cr_expect(eq(int, parse(&pool, &arena, &copy, c->bytes, c->size), MB_BAD_CLASS), "%s", c->what);
    free(copy);
    mb_arena_finish(&arena);
}
