#include "frame_states.h"

#include "classfile/opcode.h"
#include "classfile/simulate.h"

struct walk {
    const struct cf_code *code;
    struct mb_arena *arena;
    struct cf_state **frames; /* by pc; NULL without one */
    size_t frames_left;       /* not met yet on the walk */
    uint8_t *is_start;        /* by pc, the end included: an instruction begins there */
    struct cf_state state;    /* at the instruction */
    size_t reached;
    struct mb_error *err;
};

static enum mb_status disagree(const struct walk *walk, uint32_t pc, const char *what)
{
    return mb_fail(walk->err, MB_BAD_CLASS, walk->code->offset + pc, "pc %u: %s", pc, what);
}

/* A value of this type may stand where the frame has the other. */
static bool fits(struct cf_slot value, struct cf_slot frame)
{
    if (frame.tag == CF_TYPE_TOP) {
        return true;
    }
    if (frame.tag == CF_TYPE_UNINITIALIZED && value.value != frame.value) {
        return false;
    }
    return value.tag == frame.tag || (value.tag == CF_TYPE_NULL && frame.tag == CF_TYPE_OBJECT);
}

static bool all_fit(const struct cf_slot *values, const struct cf_slot *frame, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!fits(values[i], frame[i])) {
            return false;
        }
    }
    return true;
}

/* Control goes from the walk's state to pc. */
static enum mb_status check_arrival(struct walk *walk, int64_t pc)
{
    const struct cf_state *frame = walk->frames[pc];

    if (frame == NULL) {
        return disagree(walk, (uint32_t)pc, "no frame where a branch lands");
    }
    walk->reached++;
    if (frame->depth != walk->state.depth ||
        !all_fit(walk->state.stack, frame->stack, frame->depth)) {
        return disagree(walk, (uint32_t)pc, "another stack than the frame's");
    }
    return all_fit(walk->state.locals, frame->locals, walk->code->max_locals)
               ? MB_OK
               : disagree(walk, (uint32_t)pc, "other locals than the frame's");
}

static enum mb_status check_handlers(struct walk *walk, uint32_t pc)
{
    for (uint16_t i = 0; i < walk->code->handler_count; i++) {
        const uint8_t *row = walk->code->handlers + (size_t)i * CF_HANDLER_SIZE;
        const struct cf_state *frame = walk->frames[mb_get_u2(row + 4)];
        if (pc < mb_get_u2(row) || pc >= mb_get_u2(row + 2)) {
            continue;
        }
        if (frame == NULL || frame->depth != 1 ||
            !all_fit(walk->state.locals, frame->locals, walk->code->max_locals)) {
            return disagree(walk, pc, "other locals than its handler's frame");
        }
    }
    return MB_OK;
}

static enum mb_status check_targets(struct walk *walk, uint32_t pc)
{
    const uint8_t *bytes = walk->code->bytes;
    int64_t target;

    if (cf_insn_branch(bytes, pc, &target)) {
        MB_TRY(check_arrival(walk, target));
    }
    if (cf_opcode(bytes[pc])->role == CF_ROLE_SWITCH) {
        struct cf_switch table = cf_switch_at(bytes, pc);
        for (uint32_t row = 0; row <= table.count; row++) {
            MB_TRY(check_arrival(walk, cf_switch_target(&table, row)));
        }
    }
    return MB_OK;
}

/* Instructions begin where handlers say that ranges and handlers do. */
static enum mb_status check_ranges(struct walk *walk)
{
    const struct cf_code *code = walk->code;

    for (uint32_t pc = 0; pc < code->size; pc += cf_insn_size(code->bytes, code->size, pc)) {
        walk->is_start[pc] = 1;
    }
    walk->is_start[code->size] = 1;
    for (uint16_t i = 0; i < code->handler_count; i++) {
        const uint8_t *row = code->handlers + (size_t)i * CF_HANDLER_SIZE;
        if (walk->is_start[mb_get_u2(row)] == 0 || walk->is_start[mb_get_u2(row + 2)] == 0 ||
            walk->frames[mb_get_u2(row + 4)] == NULL) {
            return disagree(walk, mb_get_u2(row), "a handler amid instructions");
        }
    }
    return MB_OK;
}

static enum mb_status walk_code(struct walk *walk)
{
    const struct cf_code *code = walk->code;
    bool is_reached = true;

    for (uint32_t pc = 0; pc < code->size;) {
        if (walk->frames[pc] != NULL) {
            MB_TRY(is_reached && pc > 0 ? check_arrival(walk, pc) : MB_OK);
            cf_state_assign(&walk->state, walk->frames[pc]);
            is_reached = true;
            walk->frames_left--;
        }
        if (!is_reached) {
            return disagree(walk, pc, "no frame behind a jump");
        }
        MB_TRY(check_handlers(walk, pc));
        cf_state_step(&walk->state, pc);
        if (walk->state.is_broken) {
            return disagree(walk, pc, "an instruction that no verifier accepts");
        }
        MB_TRY(check_targets(walk, pc));
        is_reached = !cf_insn_ends_block(code->bytes, pc);
        pc += cf_insn_size(code->bytes, code->size, pc);
    }
    return walk->frames_left == 0 && !is_reached
               ? MB_OK
               : disagree(walk, code->size, "a frame amid instructions, or no end");
}

static enum mb_status keep_frames(struct walk *walk, const struct cf_class *cls,
                                  const struct cf_attribute *attribute)
{
    struct cf_frames frames = cf_frames_of(cls, attribute);
    struct cf_state declared = walk->state;
    struct cf_frame frame;

    while (cf_frames_next(&frames, &frame)) {
        struct cf_state *kept = MB_NEW(walk->arena, struct cf_state);
        cf_state_apply(&declared, &frame);
        if (kept == NULL || !cf_state_copy(kept, &declared, walk->arena)) {
            return mb_fail_memory(walk->err);
        }
        if (frame.pc >= walk->code->size) {
            return disagree(walk, frame.pc, "a frame outside the code");
        }
        walk->frames_left += walk->frames[frame.pc] == NULL;
        walk->frames[frame.pc] = kept;
    }
    return cf_frames_check(&frames, walk->err);
}

static bool find_frames(const struct cf_class *cls, const struct cf_code *code,
                        struct cf_attribute *attribute)
{
    struct cf_attributes it = cf_code_attributes(cls, code);

    while (cf_attributes_next(&it, attribute)) {
        if (attribute->kind == CF_ATTRIBUTE_StackMapTable) {
            return true;
        }
    }
    return false;
}

enum mb_status frame_states_check(const struct cf_class *cls, const struct cf_member *method,
                                  const struct cf_code *code, struct mb_arena *arena,
                                  size_t *frame_count, struct mb_error *err)
{
    struct walk walk = {.code = code, .arena = arena, .err = err};
    struct cf_attribute attribute;

    if (cls->major_version < CF_VERSION_NO_FAILOVER) {
        return MB_OK;
    }
    walk.frames = MB_NEW_ARRAY(arena, struct cf_state *, code->size);
    walk.is_start = MB_NEW_ARRAY(arena, uint8_t, code->size + 1);
    if (walk.frames == NULL || walk.is_start == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(cf_state_enter(&walk.state, cls, method, code, arena, err));
    if (find_frames(cls, code, &attribute)) {
        MB_TRY(keep_frames(&walk, cls, &attribute));
    }
    MB_TRY(cf_state_enter(&walk.state, cls, method, code, arena, err));
    MB_TRY(check_ranges(&walk));
    MB_TRY(walk_code(&walk));
    *frame_count += walk.reached;
    return MB_OK;
}
