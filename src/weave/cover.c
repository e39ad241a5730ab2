#include "weave/cover.h"

#include "classfile/constructor.h"
#include "classfile/opcode.h"

/* Returns of one range become gaps; what is inserted before them stays covered. Gives the number
 * of ranges written to split. */
static size_t leave_out_returns(const struct cf_range *range, const struct cf_code *code,
                                const struct cf_scan *scan, struct cf_range *split)
{
    uint32_t start_pc = range->start_pc;
    size_t count = 0;

    for (size_t i = 0; i < scan->exit_count && scan->exits[i] < range->end_pc; i++) {
        uint32_t pc = scan->exits[i];
        if (pc >= start_pc && code->bytes[pc] != CF_OP_ATHROW) {
            split[count++] = (struct cf_range){start_pc, pc};
            start_pc = pc + 1;
        }
    }
    if (start_pc < range->end_pc) {
        split[count++] = (struct cf_range){start_pc, range->end_pc};
    }
    return count;
}

static enum mb_status split_at_returns(struct cf_edit *edit, struct mb_arena *arena,
                                       struct mb_error *err)
{
    struct cf_range *split =
        MB_NEW_ARRAY(arena, struct cf_range, edit->covered_count + edit->scan->exit_count);
    size_t count = 0;

    if (split == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < edit->covered_count; i++) {
        count += leave_out_returns(&edit->covered[i], edit->code, edit->scan, split + count);
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
    return edit->scan->has_monitors ? split_at_returns(edit, arena, err) : MB_OK;
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
