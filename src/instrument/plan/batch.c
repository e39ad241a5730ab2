#include "instrument/plan/batch.h"

#define BATCH_SIZE ((uint64_t)64 * 1024) /* bytes of class files */

static uint32_t batch_end(struct plan_class *const *work, struct plan_span part)
{
    uint64_t size = work[part.first]->size;
    uint32_t end = part.first + 1;

    while (end < part.end && end - part.first < PLAN_BATCH_CLASSES && size < BATCH_SIZE) {
        size += work[end++]->size;
    }
    return end;
}

size_t plan_cut_batches(struct plan_class *const *work, struct plan_span part,
                        struct plan_span *batches)
{
    size_t count = 0;

    while (part.first < part.end) {
        uint32_t end = batch_end(work, part);
        if (batches != NULL) {
            batches[count] = (struct plan_span){part.first, end};
        }
        count++;
        part.first = end;
    }
    return count;
}
