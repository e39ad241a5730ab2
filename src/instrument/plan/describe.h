/* The name of a method in the mapping files: its original names, with the access flags of the
 * profile. */

#ifndef INSTRUMENT_PLAN_DESCRIBE_H
#define INSTRUMENT_PLAN_DESCRIBE_H

#include "abi/methodmap.h"
#include "instrument/plan/model.h"
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

#endif
