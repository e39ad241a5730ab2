/* The references of a class to other types, as far as they decide what code without probes may
 * call: stored as texts of the run, so that they live as long as the names, and in the state for
 * the next run. */

#ifndef PLAN_LINKS_H
#define PLAN_LINKS_H

#include "plan/model.h"

enum plan_link_kind {
    PLAN_LINK_INTERFACE,  /* it implements type */
    PLAN_LINK_ANNOTATION, /* its method number has an annotation of type */
    PLAN_LINK_LAMBDA,     /* a call of the method key of type reaches target_key of target */
    PLAN_LINK_CALL,       /* code without probes may call target_key of target */
    PLAN_LINK_MORE,       /* of the class, in the text type: a class's links may need several
                           * texts */
};

/* Types are names of the run, keys are those of rule_method_key. */
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

/* Iterates over a class's links. Views the names. */
struct plan_links {
    const struct mb_intern *names;
    struct mb_text left;
};

static inline struct plan_links plan_links_of(const struct mb_intern *names,
                                              const struct plan_class *cls)
{
    return (struct plan_links){names, mb_intern_get(names, cls->links)};
}

/* Get the next link, over all texts; false at the end. */
bool plan_links_next(struct plan_links *links, struct plan_link *link);

#endif
