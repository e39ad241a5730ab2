/* Which methods are at the boundary: code without probes may call them, and an exception that
 * leaves them may leave for that code. Supertypes may be in other inputs, on the class path, in the
 * JDK or in Android; an unknown supertype may call any method. */

#ifndef PLAN_BOUNDARY_H
#define PLAN_BOUNDARY_H

#include "plan/library.h"

struct plan_boundary_request {
    struct plan_sources *sources; /* of which a class changes, the output is not current */
    struct mb_intern *names;
    struct plan_class *const *classes; /* all that go to outputs, in canonical order */
    size_t class_count;
    const struct plan_library *library;
};

/* Set the boundary of every method that is traced. */
MB_MUST_CHECK enum mb_status plan_assign_boundary(const struct plan_boundary_request *request,
                                                  struct mb_error *err);

#endif
