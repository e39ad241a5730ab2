#include "instrument/plan/ids_order.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_PER_PLACE 4
#define MAX_INSERTED 32 /* rows of a place; more of them are a case for qsort */
#define MAX_BITS 24

/* By hash; of copies the one that others may call, and of two ids the lower one, comes first. */
static int compare_rows(const void *left, const void *right)
{
    const struct plan_id *a = left;
    const struct plan_id *b = right;
    int order = (a->hash > b->hash) - (a->hash < b->hash);

    order = order != 0 ? order : (a->boundary < b->boundary) - (a->boundary > b->boundary);
    return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

int plan_ids_compare(const void *left, const void *right)
{
    const struct plan_id *a = left;
    const struct plan_id *b = right;

    return (a->hash > b->hash) - (a->hash < b->hash);
}

int plan_ids_compare_methods(const void *left, const void *right)
{
    const struct plan_id *a = left;
    const struct plan_id *b = right;

    return (a->hash >> 1 > b->hash >> 1) - (a->hash >> 1 < b->hash >> 1);
}

/* --- places --- */

/* From a hash to its place, of as many as keep a few rows each; at least two. */
static unsigned choose_shift(size_t count)
{
    unsigned bits = 1;

    while (bits < MAX_BITS && count >> bits > ROWS_PER_PLACE) {
        bits++;
    }
    return 64 - bits;
}

/* Set starts to the first row of each place, and the end; rows may be in any order. */
static enum mb_status count_rows(union mb_numbers *starts, const union plan_ids *ids,
                                 unsigned shift, struct mb_error *err)
{
    size_t place_count = (size_t)1 << (64 - shift);
    uint32_t *next = MB_VEC_EXTEND(starts, place_count + 1);

    if (next == NULL) {
        return mb_fail_memory(err);
    }
    memset(next, 0, (place_count + 1) * sizeof(*next));
    for (size_t i = 0; i < MB_VEC_COUNT(ids); i++) {
        next[(ids->items[i].hash >> shift) + 1]++;
    }
    for (size_t i = 0; i < place_count; i++) {
        next[i + 1] += next[i];
    }
    return MB_OK;
}

/* --- sorting --- */

static bool is_sorted(const union plan_ids *ids)
{
    size_t count = MB_VEC_COUNT(ids);

    for (size_t i = 1; i < count; i++) {
        if (ids->items[i - 1].hash >= ids->items[i].hash) {
            return false;
        }
    }
    return true;
}

static void sort_place(struct plan_id *rows, size_t count)
{
    if (count > MAX_INSERTED) {
        qsort(rows, count, sizeof(*rows), compare_rows);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const struct plan_id row = rows[i];
        size_t k = i;
        for (; k > 0 && compare_rows(&row, &rows[k - 1]) < 0; k--) {
            rows[k] = rows[k - 1];
        }
        rows[k] = row;
    }
}

/* Put each row into its place, then sort the places; ends are the starts before. */
static void sort_places(union plan_ids *ids, struct plan_id *rows, uint32_t *ends, unsigned shift)
{
    size_t place_count = (size_t)1 << (64 - shift);
    size_t start = 0;

    for (size_t i = 0; i < MB_VEC_COUNT(ids); i++) {
        rows[ends[ids->items[i].hash >> shift]++] = ids->items[i];
    }
    for (size_t i = 0; i < place_count; i++) {
        sort_place(rows + start, ends[i] - start);
        start = ends[i];
    }
}

void plan_ids_drop_copies(union plan_ids *ids)
{
    size_t kept = 0;

    for (size_t i = 0; i < MB_VEC_COUNT(ids); i++) {
        if (kept == 0 || ids->items[kept - 1].hash != ids->items[i].hash) {
            ids->items[kept++] = ids->items[i];
        }
    }
    MB_VEC_CUT(ids, kept);
}

enum mb_status plan_ids_sort_all(union plan_ids *ids, struct mb_error *err)
{
    unsigned shift = choose_shift(MB_VEC_COUNT(ids));
    union mb_numbers ends = {0};
    union plan_ids sorted = {0};

    MB_TRY(mb_buf_check(&ids->buf, err));
    if (is_sorted(ids)) {
        return MB_OK;
    }
    enum mb_status status = count_rows(&ends, ids, shift, err);
    struct plan_id *rows = MB_VEC_EXTEND(&sorted, MB_VEC_COUNT(ids));
    if (status == MB_OK && rows != NULL) {
        sort_places(ids, rows, ends.items, shift);
        mb_buf_finish(&ids->buf);
        *ids = sorted;
    } else {
        mb_buf_finish(&sorted.buf);
        status = mb_fail_memory(err);
    }
    mb_buf_finish(&ends.buf);
    return status;
}

enum mb_status plan_ids_sort(union plan_ids *ids, struct mb_error *err)
{
    MB_TRY(plan_ids_sort_all(ids, err));
    plan_ids_drop_copies(ids);
    return MB_OK;
}

/* --- finding --- */

enum mb_status plan_ids_index_init(struct plan_ids_index *index, const union plan_ids *ids,
                                   struct mb_error *err)
{
    *index = (struct plan_ids_index){.ids = ids, .shift = choose_shift(MB_VEC_COUNT(ids))};
    return count_rows(&index->starts, ids, index->shift, err);
}

void plan_ids_index_finish(struct plan_ids_index *index)
{
    mb_buf_finish(&index->starts.buf);
}

const struct plan_id *plan_ids_index_find(const struct plan_ids_index *index, uint64_t hash)
{
    const struct plan_id wanted = {.hash = hash};
    const uint32_t *place = &index->starts.items[hash >> index->shift];
    size_t count = place[1] - place[0];

    if (count > MAX_INSERTED) {
        return bsearch(&wanted, index->ids->items + place[0], count, sizeof(wanted),
                       plan_ids_compare_methods);
    }
    for (uint32_t i = place[0]; i < place[1]; i++) {
        if (index->ids->items[i].hash >> 1 == hash >> 1) {
            return &index->ids->items[i];
        }
    }
    return NULL;
}
