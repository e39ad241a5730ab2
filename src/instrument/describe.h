/* What a method is called in the mapping files: by its original names, with the access flags that
 * the profile wants. */

#ifndef INSTRUMENT_DESCRIBE_H
#define INSTRUMENT_DESCRIBE_H

#include "abi/methodmap.h"
#include "instrument/model.h"
#include "rules/names.h"

struct ins_describer {
    const struct ins_names *names;
    const struct rule_names *mapping; /* NULL: the inputs have their original names */
    enum rule_profile profile;
};

/* A class whose methods are being described. */
struct ins_described_class {
    const struct ins_describer *describer;
    const struct ins_class *cls;
    const struct rule_class_names *methods;
};

/* New texts are owned by the arena, which must last as long as what is described with them. */
MB_MUST_CHECK enum mb_status ins_describe_class(const struct ins_describer *describer,
                                                const struct ins_class *cls, struct mb_arena *arena,
                                                struct ins_described_class *described,
                                                struct mb_error *err);
MB_MUST_CHECK enum mb_status ins_describe_method(const struct ins_described_class *cls,
                                                 const struct ins_method *method,
                                                 struct abi_method *described,
                                                 struct mb_error *err);

#endif
