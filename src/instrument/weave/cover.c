#include "instrument/weave/cover.h"

#include "classfile/frames.h"
#include "classfile/opcode.h"

#include <stdlib.h>

/* --- constructors --- */

static bool calls_constructor(const struct cf_class *cls, const uint8_t *insn)
{
    struct cf_ref ref;

    return insn[0] == CF_OP_INVOKESPECIAL && cf_pool_ref(&cls->pool, mb_get_u2(insn + 1), &ref) &&
           mb_text_is(ref.name, "<init>");
}

/* Where the code first branches, returns or throws. */
static uint32_t find_branch(const struct cf_edit *edit)
{
    const struct cf_scan *scan = edit->scan;
    uint32_t pc = scan->exit_count > 0 ? scan->exits[0] : edit->code->size;

    return scan->site_count > 0 && scan->sites[0].pc < pc ? scan->sites[0].pc : pc;
}

/* The offset after this(...) or super(...): on a straight line each constructor call initializes
 * the newest new, or this if none is left. The size of the code if a branch comes first. */
static uint32_t find_initialized(const struct cf_edit *edit)
{
    const struct cf_code *code = edit->code;
    uint32_t branch_pc = find_branch(edit);
    uint32_t uninitialized = 1;
    uint32_t size;

    for (uint32_t pc = 0; pc < branch_pc; pc += size) {
        size = cf_insn_size(code->bytes, code->size, pc);
        uninitialized += code->bytes[pc] == CF_OP_NEW;
        uninitialized -= calls_constructor(edit->cls, code->bytes + pc);
        if (uninitialized == 0) {
            return pc + size;
        }
    }
    return code->size;
}

/* A handler of the method's own may lead from before pc to pc or after it. */
static bool has_handler_across(const struct cf_code *code, uint32_t pc)
{
    for (uint16_t i = 0; i < code->handler_count; i++) {
        const uint8_t *row = code->handlers + (size_t)i * CF_HANDLER_SIZE;
        if (mb_get_u2(row) < pc && mb_get_u2(row + 4) >= pc) {
            return true;
        }
    }
    return false;
}

/* Unreachable code is verified from its frame, which may give any state of this. */
static bool has_frame_before_super(const struct cf_edit *edit)
{
    struct cf_attributes it = cf_code_attributes(edit->cls, edit->code);
    struct cf_attribute attribute;
    struct cf_frame frame;

    while (cf_attributes_next(&it, &attribute)) {
        if (attribute.kind != CF_ATTRIBUTE_StackMapTable) {
            continue;
        }
        struct cf_frames frames = cf_frames_of(edit->cls, &attribute);
        while (cf_frames_next(&frames, &frame)) {
            if ((frame.tags & 1U << CF_TYPE_UNINITIALIZED_THIS) != 0) {
                return true;
            }
        }
    }
    return false;
}

/* The range in which this is certainly initialized; empty if that is not obvious. */
static struct cf_range find_body(const struct cf_edit *edit)
{
    struct cf_range body = {0, edit->code->size, false};

    if (mb_text_is(cf_member_name(edit->cls, edit->method), "<init>")) {
        uint32_t pc = find_initialized(edit);
        bool is_sure = !has_handler_across(edit->code, pc) && !has_frame_before_super(edit);
        body.start_pc = is_sure ? pc : body.end_pc;
    }
    return body;
}

/* --- array literals --- */

#define MIN_ELEMENTS 4 /* of a literal that is worth a row of the exception table */
#define MIN_LITERAL_SIZE (2U + MIN_ELEMENTS * 4U) /* newarray, then dup, index, value, store */

static bool is_primitive_store(uint8_t opcode)
{
    return cf_opcode(opcode)->role == CF_ROLE_ARRAY_STORE && opcode != CF_OP_AASTORE;
}

/* The size of dup, index, value, store at pc; 0 if anything else is there. */
static uint32_t element_size(const struct cf_code *code, uint32_t pc)
{
    uint32_t at = pc + 1;

    if (pc >= code->size || code->bytes[pc] != CF_OP_DUP) {
        return 0;
    }
    for (int operand = 0; operand < 2; operand++) {
        if (at >= code->size || cf_opcode(code->bytes[at])->role != CF_ROLE_CONST) {
            return 0;
        }
        at += cf_insn_size(code->bytes, code->size, at);
    }
    return at < code->size && is_primitive_store(code->bytes[at]) ? at + 1 - pc : 0;
}

/* The size of the literal that begins with the instruction at pc, or 0. */
static uint32_t literal_size(const struct cf_code *code, uint32_t pc)
{
    uint32_t end = pc + 2;
    size_t count = 0;

    if (code->bytes[pc] != CF_OP_NEWARRAY) {
        return 0;
    }
    for (uint32_t size; (size = element_size(code, end)) > 0; end += size) {
        count++;
    }
    return count >= MIN_ELEMENTS ? end - pc : 0;
}

/* --- gaps in the covered ranges --- */

struct gap {
    uint32_t start_pc;
    uint32_t end_pc;
    bool takes_insertion; /* the one before start_pc is in it */
};

/* What the instruction at pc begins; an empty gap if nothing. */
static struct gap gap_at(const struct cf_edit *edit, const bool *lock_gaps, uint32_t pc)
{
    const struct cf_code *code = edit->code;
    uint32_t end_pc = pc + cf_insn_size(code->bytes, code->size, pc);
    uint32_t literal = literal_size(code, pc);
    bool is_return = cf_opcode(code->bytes[pc])->role == CF_ROLE_RETURN;

    if (lock_gaps != NULL && lock_gaps[pc]) {
        return (struct gap){pc, end_pc, true};
    }
    if (literal > 0) { /* insertions do not come before one */
        return (struct gap){pc, pc + literal, true};
    }
    return (struct gap){pc, is_return && edit->scan->has_monitors ? end_pc : pc, false};
}

/* Find the gaps, in ascending order. Gives their number. */
static size_t find_gaps(struct gap *gaps, const struct cf_edit *edit, const bool *lock_gaps)
{
    const struct cf_code *code = edit->code;
    size_t count = 0;
    uint32_t size;

    for (uint32_t pc = 0; pc < code->size; pc += size) {
        struct gap gap = gap_at(edit, lock_gaps, pc);
        size = gap.end_pc > pc ? gap.end_pc - pc : cf_insn_size(code->bytes, code->size, pc);
        if (gap.takes_insertion && count > 0 && gaps[count - 1].end_pc == pc) {
            gaps[count - 1].end_pc = gap.end_pc;
        } else if (gap.end_pc > pc) {
            gaps[count++] = gap;
        }
    }
    return count;
}

/* The parts of the body between the gaps. Gives the number of ranges written to split. */
static size_t split_body(const struct cf_range *body, const struct gap *gaps, size_t gap_count,
                         struct cf_range *split)
{
    uint32_t start_pc = body->start_pc;
    size_t count = 0;

    for (size_t i = 0; i < gap_count; i++) {
        const struct gap *gap = &gaps[i];
        if (gap->start_pc > start_pc || (gap->start_pc == start_pc && !gap->takes_insertion)) {
            split[count++] = (struct cf_range){start_pc, gap->start_pc, gap->takes_insertion};
        }
        start_pc = gap->end_pc > start_pc ? gap->end_pc : start_pc;
    }
    if (start_pc < body->end_pc) {
        split[count++] = (struct cf_range){start_pc, body->end_pc, false};
    }
    return count;
}

enum mb_status weave_cover(struct cf_edit *edit, bool *has_lock_gaps, struct mb_arena *arena,
                           struct mb_error *err)
{
    bool *lock_gaps = NULL;

    if (edit->scan->has_monitors) {
        MB_TRY(weave_find_lock_gaps(&lock_gaps, edit, arena, err));
    }
    size_t max_gaps = lock_gaps != NULL
                          ? edit->code->size
                          : edit->scan->exit_count + edit->code->size / MIN_LITERAL_SIZE;
    struct gap *gaps = MB_NEW_ARRAY(arena, struct gap, max_gaps);
    struct cf_range *split = MB_NEW_ARRAY(arena, struct cf_range, 1 + max_gaps);
    struct cf_range body = find_body(edit);

    if (gaps == NULL || split == NULL) {
        return mb_fail_memory(err);
    }
    edit->covered = split;
    edit->covered_count = split_body(&body, gaps, find_gaps(gaps, edit, lock_gaps), split);
    *has_lock_gaps = lock_gaps != NULL;
    return MB_OK;
}

static bool is_own_call(const struct cf_class *cls, const uint8_t *insn)
{
    struct cf_ref ref;

    return insn[0] != CF_OP_INVOKEDYNAMIC && cf_pool_ref(&cls->pool, mb_get_u2(insn + 1), &ref) &&
           !mb_text_starts(ref.class_name, MB_TEXT("java/"));
}

bool weave_may_hold_calls(const struct cf_class *cls, const struct cf_code *code)
{
    uint32_t size;

    for (uint32_t pc = 0; pc < code->size; pc += size) {
        size = cf_insn_size(code->bytes, code->size, pc);
        bool is_call = cf_opcode(code->bytes[pc])->role == CF_ROLE_INVOKE;
        if (size == 0 || (is_call && is_own_call(cls, code->bytes + pc))) {
            return true;
        }
    }
    return false;
}

/* ---- Where handlers begin ---- */

static int compare_pcs(const void *left, const void *right)
{
    return (int)*(const uint16_t *)left - (int)*(const uint16_t *)right;
}

/* Many ranges may share a handler. */
static void drop_repeated(struct weave_handlers *handlers)
{
    size_t kept = 0;

    for (size_t i = 0; i < handlers->count; i++) {
        if (kept == 0 || handlers->pcs[kept - 1] != handlers->pcs[i]) {
            handlers->pcs[kept++] = handlers->pcs[i];
        }
    }
    handlers->count = kept;
}

/* An insertion must not split an instruction. */
static bool are_at_instructions(const struct weave_handlers *handlers, const struct cf_code *code)
{
    size_t next = 0;

    for (uint32_t pc = 0; pc < code->size && next < handlers->count;) {
        if (handlers->pcs[next] < pc) {
            return false;
        }
        next += handlers->pcs[next] == pc;
        pc += cf_insn_size(code->bytes, code->size, pc);
    }
    return next == handlers->count;
}

enum mb_status weave_handlers_find(struct weave_handlers *handlers, const struct cf_code *code,
                                   struct mb_arena *arena, struct mb_error *err)
{
    *handlers = (struct weave_handlers){.count = code->handler_count};
    if (handlers->count == 0) {
        return MB_OK;
    }
    handlers->pcs = MB_NEW_ARRAY(arena, uint16_t, handlers->count);
    if (handlers->pcs == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < handlers->count; i++) {
        handlers->pcs[i] = mb_get_u2(code->handlers + i * CF_HANDLER_SIZE + 4);
    }
    qsort(handlers->pcs, handlers->count, sizeof(*handlers->pcs), compare_pcs);
    drop_repeated(handlers);
    return are_at_instructions(handlers, code) ? MB_OK
                                               : mb_fail(err, MB_UNSUPPORTED, MB_NO_OFFSET,
                                                         "a handler begins inside an instruction");
}
