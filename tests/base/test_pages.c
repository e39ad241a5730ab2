#include "base/pages.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(pages, small_memory_is_as_large_as_asked_for)
{
    size_t size = MB_LARGE_PAGE_SIZE / 2 - 1;
    char *bytes = mb_alloc_large(&size);

    cr_assert(ne(ptr, bytes, NULL));
    cr_expect(eq(sz, size, MB_LARGE_PAGE_SIZE / 2 - 1));
    memset(bytes, 1, size);
    free(bytes);
}

Test(pages, large_memory_is_whole_pages_all_of_which_may_be_used)
{
    for (size_t asked = MB_LARGE_PAGE_SIZE / 2; asked < 3 * MB_LARGE_PAGE_SIZE;
         asked += MB_LARGE_PAGE_SIZE / 2 + 1) {
        size_t size = asked;
        char *bytes = mb_alloc_large(&size);
        cr_assert(ne(ptr, bytes, NULL));
        cr_expect(eq(sz, (uintptr_t)bytes % MB_LARGE_PAGE_SIZE, 0));
        cr_expect(eq(sz, size % MB_LARGE_PAGE_SIZE, 0));
        cr_expect(ge(sz, size, asked));
        cr_expect(lt(sz, size, asked + MB_LARGE_PAGE_SIZE));
        memset(bytes, 1, size); /* a sanitizer sees the end */
        free(bytes);
    }
}

Test(pages, more_than_there_is_cannot_be_had)
{
    size_t size = SIZE_MAX / 2 - 1;

    cr_expect(eq(ptr, mb_alloc_large(&size), NULL));
    size = SIZE_MAX - 1; /* would round to 0 */
    cr_expect(eq(ptr, mb_alloc_large(&size), NULL));
    cr_expect(eq(sz, size, SIZE_MAX - 1));
}

static size_t resident_kb(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    size_t size = 0;

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        (void)sscanf(line, "Rss: %zu kB", &size);
    }
    cr_assert(file != NULL && fclose(file) == 0);
    return size;
}

/* As often as a recording may be started. */
Test(pages, zeroes_take_memory_where_they_are_written_until_they_are_given_back)
{
    const size_t count = (size_t)64 << 20;
    size_t before = resident_kb();

    for (int i = 0; i < 20; i++) {
        char *zeroes = mb_map_zeroes(count, 1);
        cr_assert(ne(ptr, zeroes, NULL));
        cr_expect(eq(chr, zeroes[count / 2], 0));
        zeroes[count / 2] = 1;
        mb_unmap_zeroes(zeroes, count, 1);
    }
    cr_expect(lt(sz, resident_kb(), before + 16384));
}

Test(pages, zeroes_are_not_there_where_they_would_be_too_many)
{
    cr_expect(eq(ptr, mb_map_zeroes(SIZE_MAX / 2, 3), NULL));
    cr_expect(eq(ptr, mb_map_zeroes(0, 3), NULL));
    mb_unmap_zeroes(NULL, 1, 1);
}
