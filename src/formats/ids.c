#include "formats/ids.h"

/* Zeroes for all ids up to this one. */
static bool has_place(struct format_ids *ids, uint32_t id)
{
    size_t needed = ((size_t)id + 1) * sizeof(id);
    size_t size = ids->numbers.size;

    if (size >= needed) {
        return true;
    }
    uint8_t *more = mb_buf_extend(&ids->numbers, needed - size);
    if (more != NULL) {
        memset(more, 0, needed - size);
    }
    return more != NULL;
}

uint32_t format_ids_number(struct format_ids *ids, uint32_t id, bool *is_new)
{
    *is_new = false;
    if (!has_place(ids, id)) {
        return 0;
    }
    uint32_t *number = (uint32_t *)(void *)ids->numbers.bytes + id;
    if (*number == 0) {
        mb_buf_put(&ids->seen, &id, sizeof(id));
        if (ids->seen.failed) {
            return 0;
        }
        *number = (uint32_t)(ids->seen.size / sizeof(id));
        *is_new = true;
    }
    return *number;
}

const uint32_t *format_ids_seen(const struct format_ids *ids, size_t *count)
{
    *count = ids->seen.size / sizeof(uint32_t);
    return (const void *)ids->seen.bytes;
}

void format_ids_reset(struct format_ids *ids)
{
    uint32_t *numbers = (void *)ids->numbers.bytes;
    size_t count;
    const uint32_t *seen = format_ids_seen(ids, &count);

    for (size_t i = 0; i < count; i++) {
        numbers[seen[i]] = 0;
    }
    mb_buf_reset(&ids->seen);
}

void format_ids_finish(struct format_ids *ids)
{
    mb_buf_finish(&ids->numbers);
    mb_buf_finish(&ids->seen);
}
