#include "base/pages.h"

#include "base/windows/windows.h"

#include <stdlib.h>

/* Large pages need a privilege here. */
void *mb_alloc_large(size_t *size)
{
    return malloc(*size);
}

void *mb_map_zeroes(size_t count, size_t size)
{
    if (count == 0 || size == 0 || count > SIZE_MAX / size) {
        return NULL;
    }
    return VirtualAlloc(NULL, count * size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void mb_unmap_zeroes(void *zeroes, size_t count, size_t size)
{
    (void)count;
    (void)size;
    if (zeroes != NULL) {
        (void)VirtualFree(zeroes, 0, MEM_RELEASE);
    }
}
