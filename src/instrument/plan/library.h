/* Classes on the class path: Activities of the inputs may extend them, but they go to no output. */

#ifndef INSTRUMENT_PLAN_LIBRARY_H
#define INSTRUMENT_PLAN_LIBRARY_H

#include "instrument/plan/crew.h"
#include "instrument/plan/source.h"

struct plan_library_class {
    uint32_t name; /* names of the run */
    uint32_t super_name;
    enum rule_focus_method focus_method;
};

/* Zeroed: an empty class path. */
struct plan_library {
    struct plan_library_class *classes;
    size_t count;
    struct mb_arena arena;
};

/* A class that cannot be parsed is ignored. Finish also after failure. */
MB_MUST_CHECK enum mb_status plan_library_read(struct plan_library *library, struct plan_crew *crew,
                                               struct mb_intern *names, const char *const *paths,
                                               size_t count, struct mb_error *err);
void plan_library_finish(struct plan_library *library);

#endif
