/* The reasons why code without probes may call a method: an exception may leave the method for that
 * code, and its exit is recorded then too. This file covers reasons within a class;
 * src/plan/boundary.h covers the others. */

#ifndef RULES_BOUNDARY_H
#define RULES_BOUNDARY_H

#include "classfile/class.h"

enum rule_boundary {
    RULE_BOUNDARY_NONE, /* only methods with probes call it */
    RULE_BOUNDARY_MAIN, /* from here: known from the class alone */
    RULE_BOUNDARY_INITIALIZER,
    RULE_BOUNDARY_SERIALIZATION,
    RULE_BOUNDARY_NATIVE,    /* native methods of its class may call it */
    RULE_BOUNDARY_OVERRIDES, /* a method of a type that is not among the inputs */
    RULE_BOUNDARY_UNKNOWN,   /* has an unknown supertype */
    RULE_BOUNDARY_LAMBDA,    /* or method reference */
    RULE_BOUNDARY_CALLED,    /* by a class that the blacklist names */
    RULE_BOUNDARY_ANNOTATED, /* by a type that is not among the inputs */
};

/* The reason as --explain prints it; empty for RULE_BOUNDARY_NONE. */
const char *rule_boundary_name(enum rule_boundary boundary);

static inline bool rule_boundary_is_own(enum rule_boundary boundary)
{
    return boundary <= RULE_BOUNDARY_NATIVE;
}

/* It has native methods, which may call any of its others. */
bool rule_has_natives(const struct cf_class *cls);

/* The reason known from the class alone; has_natives: as rule_has_natives tells. */
enum rule_boundary rule_boundary_of(const struct cf_class *cls, const struct cf_member *method,
                                    bool has_natives);

/* True if a framework may call methods with this annotation; most annotations of libraries are for
 * compilers. type as in descriptors. */
bool rule_annotation_may_call(struct mb_text type);

#endif
