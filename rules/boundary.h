/* Why code without probes may call a method: then an exception may leave it for that code, and its
 * exit is recorded then too. What the class alone says is told here; src/plan/boundary.h knows the
 * rest. */

#ifndef RULES_BOUNDARY_H
#define RULES_BOUNDARY_H

#include "classfile/class.h"

enum rule_boundary {
    RULE_BOUNDARY_NONE, /* only methods with probes call it */
    RULE_BOUNDARY_MAIN, /* the first ones: the class alone says so */
    RULE_BOUNDARY_INITIALIZER,
    RULE_BOUNDARY_SERIALIZATION,
    RULE_BOUNDARY_NATIVE,    /* native methods of its class may call it */
    RULE_BOUNDARY_OVERRIDES, /* a method of a type that is not among the inputs */
    RULE_BOUNDARY_UNKNOWN,   /* has a supertype of which nothing is known */
    RULE_BOUNDARY_LAMBDA,    /* or method reference */
    RULE_BOUNDARY_CALLED,    /* by a class that the blacklist names */
    RULE_BOUNDARY_ANNOTATED, /* by a type that is not among the inputs */
};

/* As --explain says it; empty for RULE_BOUNDARY_NONE. */
const char *rule_boundary_name(enum rule_boundary boundary);

static inline bool rule_boundary_is_own(enum rule_boundary boundary)
{
    return boundary <= RULE_BOUNDARY_NATIVE;
}

/* What the class alone says of its method; has_natives: it has native methods. */
enum rule_boundary rule_boundary_of(const struct cf_class *cls, const struct cf_member *method,
                                    bool has_natives);

/* Whether some framework may call methods by this annotation: most annotations of libraries are
 * about what compilers check. type as in descriptors. */
bool rule_annotation_may_call(struct mb_text type);

#endif
