/* The types of a run and which extends which: classes of the inputs, and all that they and the
 * class path name above them. */

#ifndef PLAN_TYPES_H
#define PLAN_TYPES_H

#include "plan/library.h"
#include "plan/links.h"

enum plan_type_kind {
    PLAN_TYPE_UNKNOWN,  /* named, but nowhere to be found */
    PLAN_TYPE_INPUT,    /* subject: its first class in canonical order, with copies behind it */
    PLAN_TYPE_LIBRARY,  /* subject: its number in the library */
    PLAN_TYPE_PLATFORM, /* subject: its row (rules/platform.h) */
    PLAN_TYPE_CALL,     /* subject: the key of a method that code without probes calls */
};

#define PLAN_NO_TYPE UINT32_MAX

/* Distinct numbers of types; count PLAN_MANY_TYPES: too many to list. */
#define PLAN_MANY_TYPES UINT32_MAX
struct plan_type_set {
    const uint32_t *items;
    uint32_t count;
};

struct plan_type {
    uint32_t name; /* of the run */
    uint32_t subject;
    uint32_t copies;            /* of a class of the inputs */
    uint32_t supers;            /* first edge; 0: absent */
    uint32_t subs;              /* first edge to a class of the inputs or the library */
    uint32_t waits;             /* for so many supertypes to be resolved */
    uint8_t kind;               /* enum plan_type_kind */
    bool is_below_input;        /* of the library, and some type above it is of the inputs */
    struct plan_type_set above; /* not of the inputs, nearest to it and its supertypes */
    struct plan_type_set
        around; /* the same of it and all its subtypes, and the library's of those */
};

struct plan_type_edge {
    uint32_t to;
    uint32_t next; /* edge */
};

/* Zeroed = empty. */
struct plan_types {
    struct mb_intern *names;
    struct plan_class *const *classes;
    const struct plan_library *library;
    struct mb_buf types; /* struct plan_type */
    struct mb_buf edges; /* struct plan_type_edge; that at 0 is not used */
    uint32_t count;
    uint32_t *slots; /* by name; number plus one */
    size_t slot_count;
    uint32_t object;       /* name of java/lang/Object */
    struct mb_arena arena; /* of sets */
};

/* All types and their supertypes; classes are in canonical order. Finish also after failure. */
MB_MUST_CHECK enum mb_status plan_types_build(struct plan_types *types, struct mb_intern *names,
                                              struct plan_class *const *classes, size_t count,
                                              const struct plan_library *library,
                                              struct mb_error *err);

/* Record that code without probes calls the method of the type, or its overrides. Before the
 * resolve. */
MB_MUST_CHECK enum mb_status plan_types_add_call(struct plan_types *types, uint32_t type,
                                                 uint32_t key, struct mb_error *err);

/* Compute the sets of all types of the inputs; types that extend themselves have too many. */
MB_MUST_CHECK enum mb_status plan_types_resolve(struct plan_types *types, struct mb_error *err);
void plan_types_finish(struct plan_types *types);

/* PLAN_NO_TYPE if the name is unknown. */
uint32_t plan_types_find(const struct plan_types *types, uint32_t name);

static inline struct plan_type *plan_type_at(const struct plan_types *types, uint32_t number)
{
    return (struct plan_type *)(void *)types->types.bytes + number;
}

static inline const struct plan_type_edge *plan_type_edge_at(const struct plan_types *types,
                                                             uint32_t number)
{
    return (const struct plan_type_edge *)(const void *)types->edges.bytes + number;
}

#endif
