/* The classes that go to outputs, in canonical order. */

#ifndef INSTRUMENT_PLAN_ORDER_H
#define INSTRUMENT_PLAN_ORDER_H

#include "instrument/plan/source.h"

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
