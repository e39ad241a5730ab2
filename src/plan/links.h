/* What a class says of other types, as far as it bears on what code without probes may call: kept
 * as texts of the run, so that it lasts as long as names do, and in the state of the next run. */

#ifndef PLAN_LINKS_H
#define PLAN_LINKS_H

#include "plan/model.h"

enum plan_link_kind {
    PLAN_LINK_INTERFACE,  /* it implements type */
    PLAN_LINK_ANNOTATION, /* its method number has an annotation of type */
    PLAN_LINK_LAMBDA,     /* whoever calls the method key of type comes to target_key of target */
    PLAN_LINK_CALL,       /* code without probes may call target_key of target */
    PLAN_LINK_MORE,       /* of the class, in the text type: one has no room for all */
};

/* Types are names of the run, keys those of rule_method_key. */
struct plan_link {
    uint32_t kind;
    uint32_t type;
    union {
        uint32_t number;
        uint32_t key;
    };
    uint32_t target;
    uint32_t target_key;
};

/* Set cls->links. Its methods are decided; source is the class they were read from. */
MB_MUST_CHECK enum mb_status plan_links_collect(struct plan_class *cls, const struct cf_class *file,
                                                struct mb_intern *names, struct mb_arena *arena,
                                                struct mb_error *err);

/* What is left of a class's links. Views the names. */
struct plan_links {
    const struct mb_intern *names;
    struct mb_text left;
};

static inline struct plan_links plan_links_of(const struct mb_intern *names,
                                              const struct plan_class *cls)
{
    return (struct plan_links){names, mb_intern_get(names, cls->links)};
}

/* The next one, over all texts; false behind the last. */
bool plan_links_next(struct plan_links *links, struct plan_link *link);

#endif
