#include "rules/parts.h"

_Static_assert(CF_ROLE_WIDE < 32, "a set of roles is 32 bits");

static bool switch_goes_back(const struct cf_code *code, uint32_t pc)
{
    struct cf_switch table = cf_switch_at(code->bytes, pc);

    for (uint32_t row = 0; row <= table.count; row++) {
        if (cf_switch_target(&table, row) <= (int64_t)pc) {
            return true;
        }
    }
    return false;
}

static bool goes_back(const struct cf_code *code, uint32_t pc, enum cf_role role)
{
    int64_t target = 0;

    if (role == CF_ROLE_SWITCH) {
        return switch_goes_back(code, pc);
    }
    return cf_insn_branch(code->bytes, pc, &target) && target <= (int64_t)pc;
}

struct rule_shape rule_shape_of(const struct cf_code *code, uint32_t start, uint32_t allowed_calls,
                                uint32_t final)
{
    static const uint32_t branches = RULE_ROLE(CF_ROLE_JUMP) | RULE_ROLE(CF_ROLE_GOTO) |
                                     RULE_ROLE(CF_ROLE_JSR) | RULE_ROLE(CF_ROLE_SWITCH);
    struct rule_shape shape = {.is_measured = true};
    uint32_t pc = start;

    while (pc < code->size && (shape.roles & final) == 0) {
        uint32_t size = cf_insn_size(code->bytes, code->size, pc);
        if (size == 0) {
            return shape;
        }
        uint8_t opcode = cf_insn_opcode(code->bytes, pc);
        enum cf_role role = (enum cf_role)cf_opcode(opcode)->role;
        shape.roles |= RULE_ROLE(role);
        if (role == CF_ROLE_INVOKE) {
            shape.last_call = opcode;
            if (++shape.call_count > allowed_calls) {
                return shape;
            }
        } else if ((RULE_ROLE(role) & branches) != 0) {
            shape.roles |= goes_back(code, pc, role) ? RULE_LOOP : 0;
        }
        pc += size;
    }
    shape.is_whole = pc == code->size;
    return shape;
}

const struct rule_shape *rule_subject_shape(struct rule_subject *subject)
{
    if (!subject->shape.is_measured && subject->method->code != NULL) {
        uint32_t start =
            subject->cls->set->profile->leaves_added
                ? rule_added_size(&subject->cls->input.cls->pool, subject->method->code)
                : 0;
        subject->shape = rule_shape_of(subject->method->code, start,
                                       rule_subject_is_constructor(subject) ? 1 : 0,
                                       subject->cls->set->profile->final_roles);
    }
    return &subject->shape;
}

bool rule_subject_is_constructor(const struct rule_subject *subject)
{
    return mb_text_is(cf_member_name(subject->cls->input.cls, subject->method->member), "<init>");
}
