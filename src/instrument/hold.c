#include "instrument/hold.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LIMIT ((uint64_t)96 << 20)        /* the classes of kotlin-compiler take 92 MB */
#define LARGE_PAGE_SIZE ((size_t)2 << 20) /* touched as one; as 4 KB pages they cost more than */
#define WORTH_LARGE_PAGES ((uint64_t)1 << 20) /* what is copied to them */

void ins_hold_open(struct ins_hold *hold, uint64_t total_size)
{
    if (total_size == 0 || total_size > LIMIT) {
        return;
    }
    if (total_size < WORTH_LARGE_PAGES) {
        hold->capacity = (size_t)total_size;
        hold->bytes = malloc(hold->capacity);
    } else {
        hold->capacity = (size_t)(total_size + LARGE_PAGE_SIZE - 1) & ~(LARGE_PAGE_SIZE - 1);
        hold->bytes = aligned_alloc(LARGE_PAGE_SIZE, hold->capacity);
    }
    if (hold->bytes == NULL) {
        hold->capacity = 0;
    } else if (hold->capacity >= LARGE_PAGE_SIZE) {
        (void)madvise(hold->bytes, hold->capacity, MADV_HUGEPAGE); /* a wish */
    }
}

void ins_hold_finish(struct ins_hold *hold)
{
    free(hold->bytes);
    hold->bytes = NULL;
    hold->capacity = 0;
}

const char *ins_hold_put(struct ins_hold *hold, struct mb_text content)
{
    size_t at = atomic_fetch_add_explicit(&hold->used, content.size, memory_order_relaxed);

    if (at > hold->capacity || content.size > hold->capacity - at) {
        return NULL;
    }
    return memcpy(hold->bytes + at, content.data, content.size);
}
