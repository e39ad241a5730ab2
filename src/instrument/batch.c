#include "instrument/batch.h"

#define BATCH_CLASSES 32U
#define BATCH_SIZE ((uint64_t)64 * 1024) /* bytes of class files */

static uint64_t class_size(const struct ins_source *source, uint32_t index)
{
    return ar_input_entry(source->archive, source->classes[index].entry)->size;
}

static uint32_t batch_end(const struct ins_source *source, uint32_t first)
{
    uint64_t size = class_size(source, first);
    uint32_t end = first + 1;

    while (end < source->class_count && end - first < BATCH_CLASSES && size < BATCH_SIZE) {
        size += class_size(source, end++);
    }
    return end;
}

/* With batches NULL, only count. */
static size_t cut(const struct ins_sources *sources, struct ins_batch *batches)
{
    size_t count = 0;

    for (uint32_t i = 0; i < sources->count; i++) {
        const struct ins_source *source = &sources->items[i];
        for (uint32_t first = 0; !source->is_known && first < source->class_count;) {
            uint32_t end = batch_end(source, first);
            if (batches != NULL) {
                batches[count] = (struct ins_batch){i, first, end};
            }
            count++;
            first = end;
        }
    }
    return count;
}

enum mb_status ins_cut_batches(const struct ins_sources *sources, struct mb_arena *arena,
                               struct ins_batch **batches, size_t *count, struct mb_error *err)
{
    *count = cut(sources, NULL);
    *batches = MB_NEW_ARRAY(arena, struct ins_batch, *count);
    if (*batches == NULL) {
        return mb_fail_memory(err);
    }
    (void)cut(sources, *batches);
    return MB_OK;
}
