/* Memory for large data. A page fault costs more than filling 4 KB, so from 1 MB on memory comes in
 * the processor's large pages, 2 MB each. */

#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

#define MB_LARGE_PAGE_SIZE ((size_t)2 << 20)

/* At least *size bytes, uninitialised, for free(); *size becomes how many there are. NULL when out
 * of memory. */
void *mb_alloc_large(size_t *size);

#endif
