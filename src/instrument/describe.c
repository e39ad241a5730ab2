#include "instrument/describe.h"

/* What upstream adds for a Deprecated attribute: ASM's ACC_DEPRECATED. */
#define MATRIX_DEPRECATED 0x20000U

enum mb_status ins_describe_class(const struct ins_describer *describer,
                                  const struct ins_class *cls, struct mb_arena *arena,
                                  struct ins_described_class *described, struct mb_error *err)
{
    *described = (struct ins_described_class){describer, cls, NULL};
    return rule_names_open(describer->mapping, ins_names_get(describer->names, cls->name), arena,
                           &described->methods, err);
}

enum mb_status ins_describe_method(const struct ins_described_class *cls,
                                   const struct ins_method *method, struct abi_method *described,
                                   struct mb_error *err)
{
    const struct ins_names *names = cls->describer->names;
    bool is_matrix = cls->describer->profile == RULE_PROFILE_MATRIX;
    struct rule_original obfuscated = {
        .class_name = ins_names_get(names, cls->cls->original_name),
        .name = ins_class_text(names, cls->cls, method->name),
        .descriptor = ins_class_text(names, cls->cls, method->descriptor),
    };
    struct rule_original original = obfuscated;

    if (cls->methods != NULL) {
        obfuscated.class_name = ins_names_get(names, cls->cls->name);
        MB_TRY(rule_names_method(cls->methods, &obfuscated, &original, err));
    }
    *described = (struct abi_method){
        .id = method->id,
        .access =
            method->access_flags + (is_matrix && method->is_deprecated ? MATRIX_DEPRECATED : 0),
        .class_name = original.class_name,
        .name = original.name,
        .descriptor = original.descriptor,
    };
    if (is_matrix && (method->access_flags & CF_ACC_NATIVE) != 0) {
        described->descriptor = (struct mb_text){NULL, 0};
    }
    return MB_OK;
}
