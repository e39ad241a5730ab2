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

uint32_t format_ids_number(struct format_ids *ids, uint32_t id, struct mb_buf *out, bool *is_new)
{
    uint32_t *number = has_place(ids, id) ? &ids->numbers.items[id] : NULL;
    bool is_first = number != NULL && *number == 0;

    if (is_first) {
        MB_VEC_PUSH(&ids->seen, id);
        is_first = !ids->seen.buf.failed;
        *number = is_first ? (uint32_t)MB_VEC_COUNT(&ids->seen) : 0;
    }
    if (is_new != NULL) {
        *is_new = is_first;
    }
    out->failed = out->failed || number == NULL || *number == 0;
    return number != NULL ? *number : 0;
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
