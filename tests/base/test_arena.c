#include "base/arena.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdint.h>

Test(arena, pieces_are_aligned_and_apart)
{
    struct mb_arena arena = {0};
    char *last = NULL;

    for (size_t i = 1; i < 20000; i += 7) {
        char *piece = mb_arena_alloc(&arena, i % 300 + 1);
        cr_assert(ne(ptr, piece, NULL));
        cr_assert(eq(sz, (uintptr_t)piece % 16, 0));
        cr_assert(ne(ptr, piece, last));
        memset(piece, 0xaa, i % 300);
        last = piece;
    }
    mb_arena_finish(&arena);
    cr_assert(eq(sz, arena.total_size, 0));
}

Test(arena, arrays_are_zeroed_and_checked)
{
    struct mb_arena arena = {0};
    uint64_t *items = MB_NEW_ARRAY(&arena, uint64_t, 1000);

    for (size_t i = 0; i < 1000; i++) {
        cr_assert(eq(u64, items[i], 0));
        items[i] = UINT64_MAX;
    }
    mb_arena_reset(&arena);
    items = MB_NEW_ARRAY(&arena, uint64_t, 10);
    cr_assert(eq(u64, items[9], 0));
    cr_assert(eq(ptr, MB_NEW_ARRAY(&arena, uint64_t, SIZE_MAX / 4), NULL));
    cr_assert(eq(ptr, mb_arena_alloc(&arena, SIZE_MAX - 8), NULL));
    mb_arena_finish(&arena);
}

Test(arena, nothing_is_not_null)
{
    struct mb_arena arena = {0};

    cr_assert(ne(ptr, MB_NEW_ARRAY(&arena, int, 0), NULL));
    mb_arena_finish(&arena);
}

Test(arena, a_large_piece_does_not_waste_the_current_block)
{
    struct mb_arena arena = {0};
    char *a = mb_arena_alloc(&arena, 16);
    (void)mb_arena_alloc(&arena, 1 << 19);
    char *b = mb_arena_alloc(&arena, 16);

#ifndef MB_DEBUG_ARENA
    cr_assert(eq(ptr, b, a + 16));
#endif
    (void)a;
    (void)b;
    mb_arena_finish(&arena);
}

static int fail_always(void)
{
    return 1;
}

Test(arena, the_hook_makes_it_fail)
{
    struct mb_arena arena = {0};

    mb_alloc_should_fail = fail_always;
    cr_assert(eq(ptr, mb_arena_alloc(&arena, 8), NULL));
    cr_assert(eq(ptr, mb_arena_copy(&arena, "x", 1), NULL));
    mb_alloc_should_fail = NULL;
    cr_assert_str_eq(mb_arena_copy(&arena, "xyz", 2), "xy");
    mb_arena_finish(&arena);
}
