/* Memory for large data. A page fault costs more than filling 4 KB, so from 1 MB on memory comes in
 * the processor's large pages, 2 MB each. */

#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

#define MB_LARGE_PAGE_SIZE ((size_t)2 << 20)

/* At least *size bytes, uninitialised, for free(); *size becomes how many there are. NULL when out
 * of memory. */
void *mb_alloc_large(size_t *size);

/* Zeroes, which take memory where they are written and nowhere else; after that the system has it
 * back, unlike large blocks of calloc, which the C library may keep, and fill by hand. NULL when
 * out of memory, or if count * size is too large. */
void *mb_map_zeroes(size_t count, size_t size);

/* As they were mapped; zeroes may be NULL. */
void mb_unmap_zeroes(void *zeroes, size_t count, size_t size);

#endif
