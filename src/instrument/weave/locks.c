#include "instrument/weave/cover.h"

#include "classfile/opcode.h"

#define MAX_LOCKS 32U           /* more are counted as 32; ART gives up there, too */
#define MAX_ROWS_SEEN 16000000U /* of the exception table: 50 ms */

/* [pc] of a method: 0, or the most locks on a path to it, plus 1; and */
#define IS_QUEUED 0x80U
#define LOCKS 0x7fU

struct flow {
    const struct cf_code *code;
    uint8_t *states;
    uint16_t *queue; /* pcs whose state has grown, each once */
    size_t queued;
    size_t rows_seen;
    bool is_lost; /* too hard to follow */
};

static bool may_throw(const uint8_t *insn)
{
    switch (cf_opcode(insn[0])->role) {
    case CF_ROLE_CONST: /* a dynamic constant; in dex, also a string */
        return insn[0] >= CF_OP_LDC;
    case CF_ROLE_MATH:
        return insn[0] == CF_OP_IDIV || insn[0] == CF_OP_LDIV || insn[0] == CF_OP_IREM ||
               insn[0] == CF_OP_LREM;
    case CF_ROLE_MONITOR:
        return insn[0] == CF_OP_MONITORENTER;
    case CF_ROLE_ARRAY_LOAD:
    case CF_ROLE_ARRAY_STORE:
    case CF_ROLE_FIELD_READ:
    case CF_ROLE_FIELD_WRITE:
    case CF_ROLE_INVOKE:
    case CF_ROLE_NEW:
    case CF_ROLE_ARRAY_NEW:
    case CF_ROLE_ARRAY_LENGTH:
    case CF_ROLE_THROW:
    case CF_ROLE_CAST:
    case CF_ROLE_INSTANCEOF:
        return true;
    default:
        return false;
    }
}

static void reach_state(struct flow *flow, int64_t pc, unsigned locks)
{
    if (pc < 0 || pc >= (int64_t)flow->code->size) {
        flow->is_lost = true;
        return;
    }
    uint8_t *state = &flow->states[pc];
    if ((*state & LOCKS) > locks) {
        return;
    }
    if ((*state & IS_QUEUED) == 0) {
        flow->queue[flow->queued++] = (uint16_t)pc;
    }
    *state = (uint8_t)(IS_QUEUED | (locks + 1));
}

static const uint8_t *handler_row(const struct flow *flow, uint16_t index)
{
    return flow->code->handlers + (size_t)index * CF_HANDLER_SIZE;
}

/* The number of the first row from index on that covers pc; that of all rows if none does. */
static uint16_t find_row(struct flow *flow, uint16_t index, uint32_t pc)
{
    for (; index < flow->code->handler_count; index++) {
        const uint8_t *row = handler_row(flow, index);
        flow->rows_seen++;
        if (mb_get_u2(row) <= pc && pc < mb_get_u2(row + 2)) {
            break;
        }
    }
    return index;
}

static bool catches_all(const uint8_t *row)
{
    return mb_get_u2(row + 6) == 0;
}

/* The first row that covers pc and catches all hides those after it. */
static void reach_handlers(struct flow *flow, uint32_t pc, unsigned locks)
{
    uint16_t count = flow->code->handler_count;

    for (uint16_t i = 0; (i = find_row(flow, i, pc)) < count; i++) {
        reach_state(flow, mb_get_u2(handler_row(flow, i) + 4), locks);
        if (catches_all(handler_row(flow, i))) {
            return;
        }
    }
}

static unsigned locks_behind(const uint8_t *insn, unsigned locks)
{
    switch (insn[0]) {
    case CF_OP_MONITORENTER:
        return locks < MAX_LOCKS ? locks + 1 : locks;
    case CF_OP_MONITOREXIT:
        return locks > 0 ? locks - 1 : 0;
    default:
        return locks;
    }
}

static void reach_cases(struct flow *flow, uint32_t pc, unsigned locks)
{
    struct cf_switch table = cf_switch_at(flow->code->bytes, pc);

    for (uint32_t row = 0; row <= table.count; row++) {
        reach_state(flow, cf_switch_target(&table, row), locks);
    }
}

/* Take the instruction at pc to those that may come next. */
static void follow_code(struct flow *flow, uint32_t pc, unsigned locks)
{
    const uint8_t *bytes = flow->code->bytes;
    uint32_t size = cf_insn_size(bytes, flow->code->size, pc);
    int64_t target = 0;

    if (size == 0) {
        flow->is_lost = true;
        return;
    }
    if (may_throw(bytes + pc)) {
        reach_handlers(flow, pc, locks);
    }
    locks = locks_behind(bytes + pc, locks);
    switch (cf_opcode(bytes[pc])->role) {
    case CF_ROLE_RETURN:
    case CF_ROLE_THROW:
        return;
    case CF_ROLE_SWITCH:
        reach_cases(flow, pc, locks);
        return;
    case CF_ROLE_JSR:
    case CF_ROLE_RET:
        flow->is_lost = true;
        return;
    case CF_ROLE_GOTO:
    case CF_ROLE_JUMP:
        (void)cf_insn_branch(bytes, pc, &target);
        reach_state(flow, target, locks);
        break;
    default:
        break;
    }
    if (cf_opcode(bytes[pc])->role != CF_ROLE_GOTO) {
        reach_state(flow, (int64_t)pc + size, locks);
    }
}

static void follow_all(struct flow *flow)
{
    reach_state(flow, 0, 0);
    while (flow->queued > 0 && !flow->is_lost) {
        uint16_t pc = flow->queue[--flow->queued];
        flow->states[pc] &= (uint8_t)~IS_QUEUED;
        follow_code(flow, pc, (flow->states[pc] & LOCKS) - 1U);
        flow->is_lost |= flow->rows_seen > MAX_ROWS_SEEN;
    }
}

static bool is_caught(struct flow *flow, uint32_t pc)
{
    uint16_t count = flow->code->handler_count;
    uint16_t i = find_row(flow, 0, pc);

    while (i < count && !catches_all(handler_row(flow, i))) {
        i = find_row(flow, (uint16_t)(i + 1), pc);
    }
    return i < count;
}

/* Gives whether there is any. */
static bool mark_gaps(struct flow *flow, const struct cf_edit *edit, bool *gaps)
{
    const struct cf_code *code = flow->code;
    size_t i = 0;
    bool is_gap = false;
    bool is_any = false;
    uint32_t size;

    for (uint32_t pc = 0; pc < code->size && !flow->is_lost; pc += size) {
        bool has_probe = i < edit->insertion_count && edit->insertions[i].pc == pc;
        bool may_leave = is_gap || has_probe || may_throw(code->bytes + pc);
        is_gap = may_leave && (flow->states[pc] & LOCKS) > 1 && !is_caught(flow, pc);
        gaps[pc] = is_gap;
        is_any |= is_gap;
        i += has_probe;
        size = cf_insn_size(code->bytes, code->size, pc);
        flow->is_lost |= flow->rows_seen > MAX_ROWS_SEEN;
    }
    return is_any && !flow->is_lost;
}

enum mb_status weave_find_lock_gaps(bool **gaps, const struct cf_edit *edit, struct mb_arena *arena,
                                    struct mb_error *err)
{
    struct flow flow = {.code = edit->code};
    uint32_t size = edit->code->size;
    bool *marks = MB_NEW_ARRAY(arena, bool, size);

    flow.states = MB_NEW_ARRAY(arena, uint8_t, size);
    flow.queue = MB_NEW_ARRAY(arena, uint16_t, size);
    if (marks == NULL || flow.states == NULL || flow.queue == NULL) {
        return mb_fail_memory(err);
    }
    follow_all(&flow);
    *gaps = !flow.is_lost && mark_gaps(&flow, edit, marks) ? marks : NULL;
    return MB_OK;
}
