#include "base/pages.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdint.h>
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
