#include "weave/cover.h"

#include "classfile/constructor.h"
#include "classfile/opcode.h"

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

/* --- gaps in what is covered --- */

/* Returns where there are monitors, and literals; ascending. */
static void find_gaps(struct cf_ranges *gaps, const struct cf_edit *edit)
{
    const struct cf_code *code = edit->code;
    bool has_monitors = edit->scan->has_monitors;
    uint32_t size;

    for (uint32_t pc = 0; pc < code->size; pc += size) {
        bool is_return = cf_opcode(code->bytes[pc])->role == CF_ROLE_RETURN;
        uint32_t literal = literal_size(code, pc);
        size = literal > 0 ? literal : cf_insn_size(code->bytes, code->size, pc);
        if (literal > 0 || (is_return && has_monitors)) {
            gaps->items[gaps->count++] = (struct cf_range){pc, pc + size};
        }
    }
}

/* Nothing is inserted before a literal; what is inserted before a return stays covered. */
static bool is_empty(const struct cf_range *range, const struct cf_code *code)
{
    return range->start_pc == range->end_pc && code->bytes[range->end_pc] == CF_OP_NEWARRAY;
}

/* Gives the number of ranges written to split. */
static size_t split_range(const struct cf_range *range, const struct cf_ranges *gaps,
                          const struct cf_code *code, struct cf_range *split)
{
    uint32_t start_pc = range->start_pc;
    size_t count = 0;

    for (size_t i = 0; i < gaps->count && gaps->items[i].start_pc < range->end_pc; i++) {
        const struct cf_range *gap = &gaps->items[i];
        if (gap->start_pc >= start_pc) {
            split[count] = (struct cf_range){start_pc, gap->start_pc};
            count += !is_empty(&split[count], code);
            start_pc = gap->end_pc;
        }
    }
    if (start_pc < range->end_pc) {
        split[count++] = (struct cf_range){start_pc, range->end_pc};
    }
    return count;
}

static enum mb_status leave_out_gaps(struct cf_edit *edit, struct mb_arena *arena,
                                     struct mb_error *err)
{
    size_t max_gaps = edit->scan->exit_count + edit->code->size / MIN_LITERAL_SIZE;
    struct cf_ranges gaps = {.items = MB_NEW_ARRAY(arena, struct cf_range, max_gaps)};
    struct cf_range *split = MB_NEW_ARRAY(arena, struct cf_range, edit->covered_count + max_gaps);
    size_t count = 0;

    if (gaps.items == NULL || split == NULL) {
        return mb_fail_memory(err);
    }
    find_gaps(&gaps, edit);
    for (size_t i = 0; i < edit->covered_count; i++) {
        count += split_range(&edit->covered[i], &gaps, edit->code, split + count);
    }
    edit->covered = split;
    edit->covered_count = count;
    return MB_OK;
}

enum mb_status weave_cover(struct cf_edit *edit, struct mb_arena *arena, struct mb_error *err)
{
    struct cf_ranges ranges = {MB_NEW(arena, struct cf_range), 1};

    if (ranges.items == NULL) {
        return mb_fail_memory(err);
    }
    ranges.items->end_pc = edit->code->size;
    if (mb_text_is(cf_member_name(edit->cls, edit->method), "<init>")) {
        MB_TRY(cf_constructor_ranges(edit->cls, edit->method, edit->code, arena, &ranges, err));
    }
    edit->covered = ranges.items;
    edit->covered_count = ranges.count;
    return leave_out_gaps(edit, arena, err);
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
