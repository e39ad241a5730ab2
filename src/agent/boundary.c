#include "agent/boundary.h"

#include "rules/boundary.h"
#include "rules/platform.h"

#define FIRST_METHOD_KIND 5 /* JVMS table 5.4.3.5-A: below are handles of fields */

/* What the class hands out as a method handle: the bodies of its lambdas. */
static void mark_handles(const struct cf_class *cls, bool *flags)
{
    for (uint16_t index = 1; index < cls->pool.count; index++) {
        const uint8_t *handle = cf_pool_entry(&cls->pool, index, CF_TAG_METHOD_HANDLE);
        struct cf_ref ref;
        if (handle == NULL || handle[0] < FIRST_METHOD_KIND ||
            !cf_pool_ref(&cls->pool, mb_get_u2(handle + 1), &ref) ||
            !mb_text_equal(ref.class_name, cls->name)) {
            continue;
        }
        for (uint16_t i = 0; i < cls->method_count; i++) {
            flags[i] = flags[i] ||
                       (mb_text_equal(cf_member_name(cls, &cls->methods[i]), ref.name) &&
                        mb_text_equal(cf_member_descriptor(cls, &cls->methods[i]), ref.descriptor));
        }
    }
}

const bool *agent_boundary_of(const struct cf_class *cls, struct mb_arena *arena)
{
    bool *flags = MB_NEW_ARRAY(arena, bool, (size_t)cls->method_count + 1);
    bool natives = rule_has_natives(cls);

    for (uint16_t i = 0; flags != NULL && i < cls->method_count; i++) {
        const struct cf_member *method = &cls->methods[i];
        bool is_virtual = (method->access_flags & (CF_ACC_STATIC | CF_ACC_PRIVATE)) == 0;
        flags[i] =
            rule_boundary_of(cls, method, natives) != RULE_BOUNDARY_NONE ||
            (is_virtual && rule_platform_knows(rule_method_key(cf_member_name(cls, method),
                                                               cf_member_descriptor(cls, method))));
    }
    if (flags != NULL) {
        mark_handles(cls, flags);
    }
    return flags;
}
