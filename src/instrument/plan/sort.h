/* The canonical order of classes, in which ids are given and mapping files are written, and the
 * classes of a run that go to outputs, in it. */

#ifndef INSTRUMENT_PLAN_SORT_H
#define INSTRUMENT_PLAN_SORT_H

#include "base/workers.h"
#include "instrument/plan/model.h"
#include "instrument/plan/source.h"

/* By name as printed, then as in the class file, bytewise; copies by size, checksum and place.
 * MB_NO_MEMORY leaves the order as it was. */
MB_MUST_CHECK enum mb_status plan_sort_classes(struct plan_class **classes, size_t count,
                                               const struct mb_intern *names,
                                               struct mb_workers *workers, struct mb_error *err);

/* Merge [0, middle) and [middle, count), each in order already. */
MB_MUST_CHECK enum mb_status plan_merge_classes(struct plan_class **classes, size_t middle,
                                                size_t count, const struct mb_intern *names,
                                                struct mb_error *err);

/* The end of the copies that begin at start or include it: classes of the same name, whose methods
 * share ids, are neighbours in canonical order. */
size_t plan_end_of_copies(struct plan_class *const *classes, size_t count, size_t start);

/* True if the lists have the same lines for both classes except class names and ids: the same
 * methods in the same order with the same verdicts. Most copies are like this. */
bool plan_has_same_methods(const struct mb_intern *names, const struct plan_class *a,
                           const struct plan_class *b);

/* ---- The order of a run ---- */

/* Zeroed memory is empty. */
struct plan_order {
    struct plan_class **classes; /* all that are readable and not dropped */
    size_t count;
    struct plan_class **new_classes; /* those among them that no earlier run has ordered */
    size_t new_count;
    struct mb_arena arena;
};

/* Order the classes of all sources; those of unchanged sources are in known, in the order of the
 * last run. Finish also after failure. */
MB_MUST_CHECK enum mb_status plan_order_classes(struct plan_order *order,
                                                const struct plan_sources *sources,
                                                const struct plan_order *known,
                                                const struct mb_intern *names,
                                                struct mb_workers *workers, struct mb_error *err);
void plan_order_finish(struct plan_order *order);

#endif
