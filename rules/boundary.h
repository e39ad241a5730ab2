/* The reasons why code without probes may call a method: an exception may leave the method for that
 * code, and its exit is recorded then too. This file answers from a class file alone, by names;
 * src/instrument/plan/boundary.c adds what other classes say. */

#ifndef RULES_BOUNDARY_H
#define RULES_BOUNDARY_H

#include "base/arena.h"
#include "classfile/class.h"

enum rule_boundary {
    RULE_BOUNDARY_NONE, /* only methods with probes call it */
    RULE_BOUNDARY_MAIN, /* from here: known from the class alone */
    RULE_BOUNDARY_INITIALIZER,
    RULE_BOUNDARY_SERIALIZATION,
    RULE_BOUNDARY_NATIVE,    /* native methods of its class may call it */
    RULE_BOUNDARY_OVERRIDES, /* a method of the platform, by its name */
    RULE_BOUNDARY_ANNOTATED, /* for a framework */
    RULE_BOUNDARY_LAMBDA,    /* its class hands it out: a lambda's body, a method reference */
    RULE_BOUNDARY_UNKNOWN,   /* from here: by other classes. It has an unknown supertype */
    RULE_BOUNDARY_CALLED,    /* a class without probes calls its name, or another refers to it */
};

#define RULE_FIRST_METHOD_KIND 5 /* JVMS table 5.4.3.5-A: below are handles of fields */

/* The reason as --explain prints it; empty for RULE_BOUNDARY_NONE. */
const char *rule_boundary_name(enum rule_boundary boundary);

static inline bool rule_boundary_is_own(enum rule_boundary boundary)
{
    return boundary <= RULE_BOUNDARY_LAMBDA;
}

/* The reason of each method (enum rule_boundary) known from its class alone, in the arena; NULL
 * without memory. */
uint8_t *rule_boundaries_of(const struct cf_class *cls, struct mb_arena *arena);

#endif
