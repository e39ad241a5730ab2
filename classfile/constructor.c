#include "classfile/constructor.h"

#include "classfile/opcode.h"
#include "classfile/simulate.h"

#include <string.h>

/* States that wait are copies; hostile code could ask for too many. */
#define MAX_PENDING_SIZE ((size_t)32 << 20)

/* Each instruction asks each handler. Compilers put no try around a super call. */
#define MAX_ASKED_HANDLERS ((size_t)16 << 20)

struct pending {
    struct pending *next;
    uint32_t pc;
    struct cf_state state;
};

struct search {
    const struct cf_class *cls;
    const struct cf_code *code;
    struct mb_arena *arena;
    uint8_t *is_before; /* per pc: runs while this is uninitialized */
    struct pending *pending;
    size_t pending_size;
    size_t asked_handlers;
    struct mb_error *err;
};

/* Follow later what begins at pc. The first state to arrive is as good as any: a verifier demands
 * that all agree where this is. */
static enum mb_status visit_later(struct search *search, int64_t pc, const struct cf_state *state)
{
    if (pc < 0 || pc >= (int64_t)search->code->size || search->is_before[pc] != 0) {
        return MB_OK;
    }
    size_t size =
        ((size_t)state->code->max_locals + state->code->max_stack) * sizeof(struct cf_slot);
    search->pending_size += size + sizeof(struct pending);
    if (search->pending_size > MAX_PENDING_SIZE) {
        return mb_fail(search->err, MB_UNSUPPORTED, MB_NO_OFFSET,
                       "constructor with too many paths before its super call");
    }
    struct pending *pending = MB_NEW(search->arena, struct pending);
    if (pending == NULL || !cf_state_copy(&pending->state, state, search->arena)) {
        return mb_fail_memory(search->err);
    }
    pending->pc = (uint32_t)pc;
    pending->next = search->pending;
    search->pending = pending;
    return MB_OK;
}

static enum mb_status visit_handlers(struct search *search, uint32_t pc,
                                     const struct cf_state *state)
{
    const struct cf_code *code = search->code;

    search->asked_handlers += code->handler_count;
    if (search->asked_handlers > MAX_ASKED_HANDLERS) {
        return mb_fail(search->err, MB_UNSUPPORTED, MB_NO_OFFSET,
                       "constructor with too many handlers before its super call");
    }
    for (uint16_t i = 0; i < code->handler_count; i++) {
        const uint8_t *row = code->handlers + (size_t)i * CF_HANDLER_SIZE;
        if (mb_get_u2(row) <= pc && pc < mb_get_u2(row + 2) && code->max_stack > 0 &&
            search->is_before[mb_get_u2(row + 4)] == 0) {
            struct cf_state caught;
            if (!cf_state_copy(&caught, state, search->arena)) {
                return mb_fail_memory(search->err);
            }
            cf_state_catch(&caught);
            MB_TRY(visit_later(search, mb_get_u2(row + 4), &caught));
        }
    }
    return MB_OK;
}

static enum mb_status visit_targets(struct search *search, uint32_t pc,
                                    const struct cf_state *state)
{
    const uint8_t *bytes = search->code->bytes;
    int64_t target;

    if (cf_insn_branch(bytes, pc, &target)) {
        MB_TRY(visit_later(search, target, state));
    }
    if (cf_opcode(bytes[pc])->role == CF_ROLE_SWITCH) {
        struct cf_switch table = cf_switch_at(bytes, pc);
        for (uint32_t row = 0; row <= table.count; row++) {
            MB_TRY(visit_later(search, cf_switch_target(&table, row), state));
        }
    }
    return MB_OK;
}

/* Along one path, until this is initialized or the path was walked before. */
static enum mb_status follow_path(struct search *search, uint32_t pc, struct cf_state *state)
{
    const struct cf_code *code = search->code;

    while (pc < code->size && search->is_before[pc] == 0 &&
           cf_state_has_uninitialized_this(state)) {
        uint32_t size = cf_insn_size(code->bytes, code->size, pc);
        if (size == 0) {
            return mb_fail(search->err, MB_BAD_CLASS, code->offset + pc, "undefined instruction");
        }
        memset(search->is_before + pc, 1, size);
        MB_TRY(visit_handlers(search, pc, state));
        cf_state_step(state, pc);
        if (state->is_broken) {
            return mb_fail(search->err, MB_UNSUPPORTED, MB_NO_OFFSET,
                           "constructor that no verifier accepts");
        }
        MB_TRY(visit_targets(search, pc, state));
        if (cf_opcode(code->bytes[pc])->role == CF_ROLE_JSR) {
            state->depth--; /* ret comes back without the return address */
        }
        if (cf_insn_ends_block(code->bytes, pc)) {
            return MB_OK;
        }
        pc += size;
    }
    return MB_OK;
}

static enum mb_status follow_all(struct search *search)
{
    while (search->pending != NULL) {
        struct pending *pending = search->pending;
        search->pending = pending->next;
        MB_TRY(follow_path(search, pending->pc, &pending->state));
    }
    return MB_OK;
}

static enum mb_status visit_frames(struct search *search, const struct cf_attribute *attribute,
                                   struct cf_state *state)
{
    struct cf_frames frames = cf_frames_of(search->cls, attribute);
    struct cf_frame frame;

    while (cf_frames_next(&frames, &frame)) {
        cf_state_apply(state, &frame);
        if (!state->is_broken && cf_state_has_uninitialized_this(state)) {
            MB_TRY(visit_later(search, frame.pc, state));
        }
    }
    return MB_OK;
}

/* Code that nothing reaches is still checked, from the frame that it must have. */
static enum mb_status follow_frames(struct search *search, struct cf_state *state)
{
    struct cf_attributes it = cf_code_attributes(search->cls, search->code);
    struct cf_attribute attribute;

    while (cf_attributes_next(&it, &attribute)) {
        if (attribute.kind == CF_ATTRIBUTE_StackMapTable) {
            MB_TRY(visit_frames(search, &attribute, state));
        }
    }
    return follow_all(search);
}

/* From the end of one range to the next; false if absent. */
static bool next_range(const struct search *search, struct cf_range *range)
{
    const uint8_t *is_before = search->is_before;
    uint32_t size = search->code->size;
    uint32_t pc = range->end_pc;

    while (pc < size && is_before[pc] != 0) {
        pc++;
    }
    if (pc == size) {
        return false;
    }
    const uint8_t *end = memchr(is_before + pc, 1, size - pc);
    *range = (struct cf_range){pc, end != NULL ? (uint32_t)(end - is_before) : size};
    return true;
}

static enum mb_status collect_ranges(const struct search *search, struct cf_ranges *ranges)
{
    struct cf_range range = {0, 0};
    size_t room = 0;

    while (next_range(search, &range)) {
        room++;
    }
    ranges->items = MB_NEW_ARRAY(search->arena, struct cf_range, room);
    ranges->count = 0;
    if (ranges->items == NULL) {
        return mb_fail_memory(search->err);
    }
    range.end_pc = 0;
    while (next_range(search, &range)) {
        ranges->items[ranges->count++] = range;
    }
    return MB_OK;
}

enum mb_status cf_constructor_ranges(const struct cf_class *cls, const struct cf_member *method,
                                     const struct cf_code *code, struct mb_arena *arena,
                                     struct cf_ranges *ranges, struct mb_error *err)
{
    struct search search = {.cls = cls, .code = code, .arena = arena, .err = err};
    struct cf_state entry;
    struct cf_state state;

    search.is_before = MB_NEW_ARRAY(arena, uint8_t, code->size);
    if (search.is_before == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(cf_state_enter(&entry, cls, method, code, arena, err));
    if (!cf_state_copy(&state, &entry, arena)) {
        return mb_fail_memory(err);
    }
    MB_TRY(follow_path(&search, 0, &state));
    MB_TRY(follow_all(&search));
    MB_TRY(follow_frames(&search, &entry));
    return collect_ranges(&search, ranges);
}
