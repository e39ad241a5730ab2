/* Finds the Activities among the inputs' classes, and decides their probes: superclasses may be in
 * other inputs or on the class path, whose headers are enough. */

#ifndef INSTRUMENT_PLAN_ACTIVITIES_H
#define INSTRUMENT_PLAN_ACTIVITIES_H

#include "instrument/plan/library.h"
#include "instrument/plan/warnings.h"
#include "rules/mapping.h"

struct plan_focus_request {
    struct plan_sources *sources; /* of which a class changes, the output is not current */
    struct mb_intern *names;
    const struct rule_mapping *mapping; /* may be NULL */
    struct plan_class **classes;        /* all that go to outputs, in canonical order */
    size_t class_count;
    const struct plan_library *library;
    const char *const *known; /* more classes known to be Activities, in internal form */
    size_t known_count;
    struct plan_warnings *warnings;
};

/* Set the focus of one class, by the verdict on its name; needs only sources and warnings. */
MB_MUST_CHECK enum mb_status plan_set_focus(const struct plan_focus_request *request,
                                            struct plan_class *cls, bool is_activity,
                                            struct mb_error *err);

/* Set the focus of every class. */
MB_MUST_CHECK enum mb_status plan_assign_focus(const struct plan_focus_request *request,
                                               struct mb_error *err);

#endif
