#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define WORTH_LARGE_PAGES (MB_LARGE_PAGE_SIZE / 2)

void *mb_alloc_large(size_t *size)
{
    if (*size < WORTH_LARGE_PAGES || *size > SIZE_MAX - MB_LARGE_PAGE_SIZE) {
        return malloc(*size);
    }
    size_t rounded = (*size + MB_LARGE_PAGE_SIZE - 1) & ~(MB_LARGE_PAGE_SIZE - 1);
    void *bytes = NULL; /* aligned_alloc came with Android 9 */
    if (posix_memalign(&bytes, MB_LARGE_PAGE_SIZE, rounded) != 0) {
        return NULL;
    }
#if defined(MADV_HUGEPAGE)
    (void)madvise(bytes, rounded, MADV_HUGEPAGE); /* a wish */
#endif
    *size = rounded;
    return bytes;
}

void *mb_map_zeroes(size_t count, size_t size)
{
    if (count == 0 || size == 0 || count > SIZE_MAX / size) {
        return NULL;
    }
    void *zeroes =
        mmap(NULL, count * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return zeroes != MAP_FAILED ? zeroes : NULL;
}

void mb_unmap_zeroes(void *zeroes, size_t count, size_t size)
{
    if (zeroes != NULL) {
        (void)munmap(zeroes, count * size);
    }
}
