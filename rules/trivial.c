/* Bodies that cost less than their probes would: without calls, loops, array allocations and
 * waits. */

#include "rules/parts.h"

#define ROLE(name) RULE_ROLE(CF_ROLE_##name)

static bool is_quick(struct rule_subject *subject, uint32_t allowed)
{
    const struct rule_shape *shape = rule_subject_shape(subject);

    return shape->is_whole && (shape->roles & ~allowed) == 0 &&
           (subject->method->member->access_flags & CF_ACC_SYNCHRONIZED) == 0;
}

static bool has_role(struct rule_subject *subject, enum cf_role role)
{
    return (rule_subject_shape(subject)->roles & RULE_ROLE(role)) != 0;
}

bool rule_is_empty(struct rule_subject *subject)
{
    return is_quick(subject, ROLE(NOP) | ROLE(RETURN));
}

bool rule_is_getter(struct rule_subject *subject)
{
    return is_quick(subject, ROLE(LOAD) | ROLE(FIELD_READ) | ROLE(RETURN)) &&
           has_role(subject, CF_ROLE_FIELD_READ);
}

bool rule_is_setter(struct rule_subject *subject)
{
    return is_quick(subject, ROLE(LOAD) | ROLE(CONST) | ROLE(FIELD_WRITE) | ROLE(RETURN)) &&
           has_role(subject, CF_ROLE_FIELD_WRITE);
}

/* Every constructor but Object's calls another one of its class or superclass (JVMS §4.10.2.4), so
 * a single invokespecial is that call. */
bool rule_is_plain_constructor(struct rule_subject *subject)
{
    return rule_subject_is_constructor(subject) && is_quick(subject, ~RULE_COSTLY) &&
           subject->shape.last_call == CF_OP_INVOKESPECIAL;
}

bool rule_is_leaf(struct rule_subject *subject)
{
    return is_quick(subject, ~(RULE_COSTLY | ROLE(INVOKE)));
}
