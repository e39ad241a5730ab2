/* Which methods are at the boundary: code without probes may call them, and an exception that
 * leaves them may leave for that code. One question, by names: a class answers for itself
 * (rules/boundary.h); others add what they call, and that a supertype is unknown. */

#ifndef PLAN_BOUNDARY_H
#define PLAN_BOUNDARY_H

#include "plan/source.h"

struct plan_boundary_request {
    struct plan_sources *sources; /* of which a class changes, the output is not current */
    const struct mb_intern *names;
    struct plan_class *const *classes; /* all that go to outputs, in canonical order */
    size_t class_count;
};

/* Complete the boundary of every method that is traced: pass 1 or the last run has set it. */
MB_MUST_CHECK enum mb_status plan_assign_boundary(const struct plan_boundary_request *request,
                                                  struct mb_error *err);

#endif
