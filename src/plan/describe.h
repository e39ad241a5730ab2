/* What a method is called in the mapping files: by its original names, with the access flags that
 * the profile wants. */

#ifndef PLAN_DESCRIBE_H
#define PLAN_DESCRIBE_H

#include "abi/methodmap.h"
#include "plan/model.h"
#include "rules/mapping.h"

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

/* New texts are owned by the arena, which must last as long as what is described with them. */
MB_MUST_CHECK enum mb_status plan_describe_class(const struct plan_describer *describer,
                                                 const struct plan_class *cls,
                                                 struct mb_arena *arena,
                                                 struct plan_described_class *described,
                                                 struct mb_error *err);
MB_MUST_CHECK enum mb_status plan_describe_method(const struct plan_described_class *cls,
                                                  const struct plan_method *method,
                                                  struct abi_method *described,
                                                  struct mb_error *err);

#endif
