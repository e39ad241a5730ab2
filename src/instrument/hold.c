#include "instrument/hold.h"

#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

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

const char *ins_hold_put(struct ins_hold *hold, struct mb_text content)
{
    size_t at = atomic_fetch_add_explicit(&hold->used, content.size, memory_order_relaxed);

    if (at > hold->capacity || content.size > hold->capacity - at) {
        return NULL;
    }
    return memcpy(hold->bytes + at, content.data, content.size);
}
