/* The choices of the Matrix plug-in, exactly: a team that switches keeps its method map. */

#include "rules/parts.h"

#include <string.h>

bool rule_matrix_skips_file(struct rule_subject *subject)
{
    static const struct mb_text parts[] = {
        MB_TEXT_ROW("R.class"),
        MB_TEXT_ROW("R$"),
        MB_TEXT_ROW("Manifest"),
        MB_TEXT_ROW("BuildConfig"),
    };

    for (size_t i = 0; i < MB_COUNT(parts); i++) {
        if (mb_text_contains(subject->cls->input.entry_name, parts[i])) {
            return true;
        }
    }
    return false;
}

bool rule_matrix_skips_abstract_class(struct rule_subject *subject)
{
    return (subject->cls->input.cls->access_flags & (CF_ACC_ABSTRACT | CF_ACC_INTERFACE)) != 0;
}

/* Loops, throws and natives included. */
bool rule_matrix_calls_nothing(struct rule_subject *subject)
{
    const struct rule_shape *shape = rule_subject_shape(subject);

    return subject->method->code == NULL || (shape->is_whole && shape->call_count == 0);
}

/* Upstream: only opcodes up to 53 (saload, the xload_n counted as xload), 172..181 and one
 * invokespecial. */
bool rule_matrix_is_plain_constructor(struct rule_subject *subject)
{
    static const uint32_t plain = RULE_ROLE(CF_ROLE_NOP) | RULE_ROLE(CF_ROLE_CONST) |
                                  RULE_ROLE(CF_ROLE_LOAD) | RULE_ROLE(CF_ROLE_ARRAY_LOAD) |
                                  RULE_ROLE(CF_ROLE_RETURN) | RULE_ROLE(CF_ROLE_FIELD_READ) |
                                  RULE_ROLE(CF_ROLE_FIELD_WRITE) | RULE_ROLE(CF_ROLE_INVOKE);
    const struct rule_shape *shape = rule_subject_shape(subject);

    return rule_subject_is_constructor(subject) && shape->is_whole &&
           (shape->roles & ~plain) == 0 && shape->last_call == CF_OP_INVOKESPECIAL;
}
