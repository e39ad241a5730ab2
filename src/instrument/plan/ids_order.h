/* Ids in the order of their hashes, which are spread evenly: nearly every one is put in its place,
 * and found, at the first attempt. */

#ifndef INSTRUMENT_PLAN_IDS_ORDER_H
#define INSTRUMENT_PLAN_IDS_ORDER_H

#include "instrument/plan/ids.h"

/* By hash; as for bsearch. */
int plan_ids_compare(const void *left, const void *right);

/* Copies of a method, direct or not, are equal. */
int plan_ids_compare_methods(const void *left, const void *right);

/* Sort by hash, and leave copies in. */
MB_MUST_CHECK enum mb_status plan_ids_sort_all(union plan_ids *ids, struct mb_error *err);

/* Of rows in order: those after the first of a hash. */
void plan_ids_drop_copies(union plan_ids *ids);

/* Sort by hash; of copies the one stays that others may call, or that has the lower id. */
MB_MUST_CHECK enum mb_status plan_ids_sort(union plan_ids *ids, struct mb_error *err);

/* Where to find what; of ids that stay as they are. Zeroed memory is of none. */
struct plan_ids_index {
    const union plan_ids *ids;
    union mb_numbers starts; /* of the rows by the first bits of their hashes, and the end */
    unsigned shift;          /* to these bits */
};

/* Finish also after failure. */
MB_MUST_CHECK enum mb_status plan_ids_index_init(struct plan_ids_index *index,
                                                 const union plan_ids *ids, struct mb_error *err);
void plan_ids_index_finish(struct plan_ids_index *index);

/* Soon to be found, of ids that are not none: wait for memory meanwhile. */
static inline void plan_ids_index_fetch(const struct plan_ids_index *index, uint64_t hash)
{
    __builtin_prefetch(index->ids->items + index->starts.items[hash >> index->shift]);
}

/* The method, or a copy of it; or NULL. */
const struct plan_id *plan_ids_index_find(const struct plan_ids_index *index, uint64_t hash);

#endif
