#include "instrument/hold.h"

#include "base/pages.h"

#include <stdlib.h>

void ins_hold_open(struct ins_hold *hold, uint64_t total_size)
{
    if (total_size == 0 || total_size > INS_HOLD_LIMIT) {
        return;
    }
    hold->capacity = (size_t)total_size;
    hold->bytes = mb_pages_take(&hold->capacity);
    if (hold->bytes == NULL) {
        hold->capacity = 0;
    }
}

void ins_hold_finish(struct ins_hold *hold)
{
    free(hold->bytes);
    hold->bytes = NULL;
    hold->capacity = 0;
}

char *ins_hold_take(struct ins_hold *hold, size_t size)
{
    size_t at = atomic_fetch_add_explicit(&hold->used, size, memory_order_acquire);

    return at <= hold->capacity && size <= hold->capacity - at ? hold->bytes + at : NULL;
}

void ins_hold_give_back(struct ins_hold *hold, const char *room, size_t size)
{
    size_t at = (size_t)(room - hold->bytes);
    size_t end = at + size;

    /* Whoever takes the room next must not write to it before it was read here. */
    (void)atomic_compare_exchange_strong_explicit(&hold->used, &end, at, memory_order_release,
                                                  memory_order_relaxed);
}
