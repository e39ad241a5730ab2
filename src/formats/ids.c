#include "formats/ids.h"

/* Zeroes for all ids up to this one. */
static bool has_place(struct format_ids *ids, uint32_t id)
{
    size_t count = MB_VEC_COUNT(&ids->numbers);

    if (count > id) {
        return true;
    }
    uint32_t *more = MB_VEC_EXTEND(&ids->numbers, id + 1 - count);
    if (more != NULL) {
        memset(more, 0, (id + 1 - count) * sizeof(*more));
    }
    return more != NULL;
}

uint32_t format_ids_number(struct format_ids *ids, uint32_t id, bool *is_new)
{
    *is_new = false;
    if (!has_place(ids, id)) {
        return 0;
    }
    uint32_t *number = &ids->numbers.items[id];
    if (*number == 0) {
        MB_VEC_PUSH(&ids->seen, id);
        if (ids->seen.buf.failed) {
            return 0;
        }
        *number = (uint32_t)MB_VEC_COUNT(&ids->seen);
        *is_new = true;
    }
    return *number;
}

const uint32_t *format_ids_seen(const struct format_ids *ids, size_t *count)
{
    *count = MB_VEC_COUNT(&ids->seen);
    return ids->seen.items;
}

void format_ids_reset(struct format_ids *ids)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&ids->seen); i++) {
        ids->numbers.items[ids->seen.items[i]] = 0;
    }
    mb_buf_reset(&ids->seen.buf);
}

void format_ids_finish(struct format_ids *ids)
{
    mb_buf_finish(&ids->numbers.buf);
    mb_buf_finish(&ids->seen.buf);
}
