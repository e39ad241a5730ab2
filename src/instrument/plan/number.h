/* What each traced method is called in the mapping files, and which id it gets. Ids follow class
 * name, then method order in the class, so neither threads nor the order of inputs or directories
 * can show in them. */

#ifndef INSTRUMENT_PLAN_NUMBER_H
#define INSTRUMENT_PLAN_NUMBER_H

#include "abi/methodmap.h"
#include "instrument/plan/model.h"
#include "rules/mapping.h"

/* ---- Names: the original ones, with the access flags of the profile ---- */

struct plan_describer {
    const struct mb_intern *names;
    const struct rule_mapping *mapping; /* NULL: the inputs have their original names */
    enum rule_profile profile;
};

/* A class whose methods are being described. */
struct plan_described_class {
    const struct plan_describer *describer;
    const struct plan_class *cls;
    const struct rule_class_names *methods;
};

/* New texts are owned by the arena, which must outlive the descriptions. */
MB_MUST_CHECK enum mb_status plan_describe_class(const struct plan_describer *describer,
                                                 const struct plan_class *cls,
                                                 struct mb_arena *arena,
                                                 struct plan_described_class *described,
                                                 struct mb_error *err);
MB_MUST_CHECK enum mb_status plan_describe_method(const struct plan_described_class *cls,
                                                  const struct plan_method *method,
                                                  struct abi_method *described,
                                                  struct mb_error *err);

/* ---- Ids ---- */

/* Whose id it is: the first method in canonical order that got it. Others with the same line of the
 * method map (copies in several jars, multi-release jars) share it. */
struct plan_owner {
    uint32_t cls;    /* index in canonical order plus one; 0: free, or used only by the base map */
    uint16_t method; /* index in class order */
    bool is_used;    /* some method really got probes with it */
};

/* Zeroed memory is an empty numbering. */
struct plan_numbering {
    struct plan_owner *owners; /* by id, below end_id; owned by the arena */
    uint32_t end_id;           /* above the highest id in use */
    struct mb_arena arena;
};

/* Constraints of the numbering. */
struct plan_number_options {
    const struct plan_describer *describer;
    const struct abi_methodmap *base; /* the ids it lists stay with its methods; may be NULL */
    uint32_t first_id;                /* new ids are not below it, nor below any of the base */
};

/* Set the id of every traced method of classes, which are in canonical order, and end_id.
 * MB_TOO_LARGE: more than ABI_MAX_ID are needed. */
MB_MUST_CHECK enum mb_status plan_number(struct plan_numbering *numbering,
                                         struct plan_class **classes, size_t count,
                                         const struct plan_number_options *options,
                                         struct mb_error *err);

/* Find the owners of all ids among all classes of the run. Finish also after failure. */
MB_MUST_CHECK enum mb_status plan_index_ids(struct plan_numbering *numbering,
                                            struct plan_class *const *classes, size_t count,
                                            struct mb_error *err);

/* True if some method got probes with the id; false while owners are not known. */
bool plan_numbering_has(const struct plan_numbering *numbering, uint32_t id);

/* The id above the highest that some method got probes with, or that base lists. */
uint32_t plan_next_id(const struct plan_numbering *numbering, const struct abi_methodmap *base);

/* After pass 2 has found the methods that could not be traced: set is_used of all owners. */
void plan_mark_used_ids(struct plan_numbering *numbering, struct plan_class *const *classes,
                        size_t count);

void plan_numbering_finish(struct plan_numbering *numbering);

#endif
