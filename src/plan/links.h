/* What a class says of other types, as far as it bears on what code without probes may call: kept as
 * one text of the run, so that it lasts as long as names do, and in the state of the next run. */

#ifndef PLAN_LINKS_H
#define PLAN_LINKS_H

#include "plan/model.h"

enum plan_link_kind {
    PLAN_LINK_INTERFACE,  /* it implements type */
    PLAN_LINK_ANNOTATION, /* its method number has an annotation of type */
    PLAN_LINK_LAMBDA,     /* whoever calls the method key of type comes to target_key of target */
    PLAN_LINK_CALL,       /* code without probes may call target_key of target */
    PLAN_LINK_CUT,        /* and more, for which a text has no room */
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

static inline size_t plan_links_count(const struct mb_intern *names, const struct plan_class *cls)
{
    return mb_intern_get(names, cls->links).size / sizeof(struct plan_link);
}

struct plan_link plan_links_get(const struct mb_intern *names, const struct plan_class *cls,
                                size_t index);

#endif
