#include "agent/boundary.h"

#include "rules/boundary.h"
#include "rules/platform.h"

#include <stdlib.h>
#include <string.h>

#define METHOD_BITS UINT32_C(0xffffff)
#define FIRST_METHOD_KIND 5 /* JVMS table 5.4.3.5-A: below are handles of fields */

/* A bit for each key of 24 bits that any type of the platform has. */
static uint8_t *overridable;

bool agent_boundary_prepare(void)
{
    const size_t count = rule_platform_types[rule_platform_type_count].methods;

    overridable = calloc((METHOD_BITS + 1) / 8, 1);
    for (size_t i = 0; overridable != NULL && i < count; i++) {
        uint32_t key = rule_platform_methods[i];
        overridable[key / 8] |= (uint8_t)(1u << key % 8);
    }
    return overridable != NULL;
}

static bool is_overridable(struct mb_text name, struct mb_text descriptor)
{
    uint32_t key = rule_method_key(name, descriptor) & METHOD_BITS;

    return (overridable[key / 8] >> key % 8 & 1) != 0;
}

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
        flags[i] = rule_boundary_of(cls, method, natives) != RULE_BOUNDARY_NONE ||
                   (is_virtual &&
                    is_overridable(cf_member_name(cls, method), cf_member_descriptor(cls, method)));
    }
    if (flags != NULL) {
        mark_handles(cls, flags);
    }
    return flags;
}
