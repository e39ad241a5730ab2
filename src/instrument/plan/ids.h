/* Ids by hash, for builds that number once and rewrite each input by itself (methodbeat number):
 * the file that holds them, for all inputs or as the slice of one, and how new ones are given. The
 * file is a seal (names.h) and rows as below, ascending by hash. */

#ifndef INSTRUMENT_PLAN_IDS_H
#define INSTRUMENT_PLAN_IDS_H

#include "base/vec.h"
#include "instrument/plan/activities.h"
#include "instrument/plan/number.h"

struct plan_id {
    uint64_t hash;     /* plan_hash_method; of an Activity: of its name and 0 */
    uint32_t id;       /* 0: none yet; ABI_MESSAGE_ID: an Activity */
    uint32_t boundary; /* what other inputs say of the method: enum rule_boundary */
};

/* Zeroed memory is empty; free buf. */
MB_VEC_TYPE(plan_ids, struct plan_id);

/* Append the file to out, which is empty. MB_NO_MEMORY. */
MB_MUST_CHECK enum mb_status plan_ids_put(struct mb_buf *out, const union plan_ids *ids,
                                          uint64_t options, struct mb_error *err);

/* As plan_seal_open; of any options, as a ledger is, also from a method map. */
#define PLAN_ANY_OPTIONS 0
MB_MUST_CHECK enum mb_status plan_ids_load(union plan_ids *ids, const char *path, uint64_t options,
                                           struct mb_error *err);

/* Add the methods and Activities of sources that were parsed from names, without ids. */
MB_MUST_CHECK enum mb_status plan_ids_collect(union plan_ids *ids, const struct mb_intern *names,
                                              const struct plan_source *sources, size_t count,
                                              struct mb_error *err);

/* Give ids: that of the ledger, or else by hash the first that is free. So the layout depends on
 * the ledger and the set of methods only. Then add what only the ledger has: it stays taken.
 * taken_count is all. MB_TOO_LARGE: more than ABI_MAX_ID are needed. */
MB_MUST_CHECK enum mb_status plan_ids_assign(union plan_ids *ids, const union plan_ids *ledger,
                                             size_t *taken_count, struct mb_error *err);

/* Copy the ids that all has. */
struct plan_ids_index; /* (ids_order.h) */
void plan_ids_take(union plan_ids *slice, const struct plan_ids_index *all);

/* Set id, focus and, if probes call c, boundary of the request's classes, and the end of the
 * numbering. MB_BAD_TEXT, path being that of the ids: a method that is traced has none. */
MB_MUST_CHECK enum mb_status plan_ids_apply(const union plan_ids *ids, const char *path,
                                            const struct plan_focus_request *request,
                                            bool calls_catch, struct plan_numbering *numbering,
                                            struct mb_error *err);

#endif
