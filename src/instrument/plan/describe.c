#include "instrument/plan/describe.h"

/* Upstream's flag for a Deprecated attribute: ASM's ACC_DEPRECATED. */
#define MATRIX_DEPRECATED 0x20000U

enum mb_status plan_describe_class(const struct plan_describer *describer,
                                   const struct plan_class *cls, struct mb_arena *arena,
                                   struct plan_described_class *described, struct mb_error *err)
{
    *described = (struct plan_described_class){describer, cls, NULL};
    return rule_mapping_open(describer->mapping, mb_intern_get(describer->names, cls->name), arena,
                             &described->methods, err);
}

enum mb_status plan_describe_method(const struct plan_described_class *cls,
                                    const struct plan_method *method, struct abi_method *described,
                                    struct mb_error *err)
{
    const struct mb_intern *names = cls->describer->names;
    bool is_matrix = cls->describer->profile == RULE_PROFILE_MATRIX;
    struct rule_original obfuscated = {
        .class_name = mb_intern_get(names, cls->cls->original_name),
        .name = plan_class_text(names, cls->cls, method->name),
        .descriptor = plan_class_text(names, cls->cls, method->descriptor),
    };
    struct rule_original original = obfuscated;

    if (cls->methods != NULL) {
        obfuscated.class_name = mb_intern_get(names, cls->cls->name);
        MB_TRY(rule_mapping_method(cls->methods, &obfuscated, &original, err));
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
