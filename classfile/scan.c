#include "classfile/edit.h"

#include "classfile/opcode.h"

static enum mb_status bad_insn(const struct cf_code *code, uint32_t pc, struct mb_error *err)
{
    const char *name = cf_opcode(code->bytes[pc])->name;

    return mb_fail(err, MB_BAD_CLASS, code->offset + pc, "%s 0x%02x at pc %u",
                   name == NULL ? "undefined opcode" : "malformed or cut off instruction",
                   code->bytes[pc], pc);
}

static enum mb_status check_target(const struct cf_code *code, uint32_t pc, int64_t target,
                                   struct mb_error *err)
{
    if (target < 0 || target >= (int64_t)code->size) {
        return mb_fail(err, MB_BAD_CLASS, code->offset + pc,
                       "branch target %lld is outside the code of %u bytes", (long long)target,
                       code->size);
    }
    return MB_OK;
}

static enum mb_status check_branch(const struct cf_code *code, uint32_t pc, struct mb_error *err)
{
    int64_t target = -1;

    (void)cf_insn_branch(code->bytes, pc, &target);
    return check_target(code, pc, target, err);
}

static enum mb_status check_switch(const struct cf_code *code, uint32_t pc, struct mb_error *err)
{
    struct cf_switch table = cf_switch_at(code->bytes, pc);

    for (uint32_t row = 0; row <= table.count; row++) {
        MB_TRY(check_target(code, pc, cf_switch_target(&table, row), err));
    }
    return MB_OK;
}

static void add_site(struct cf_scan *scan, const struct cf_code *code, uint32_t pc)
{
    scan->sites[scan->site_count++] = (struct cf_site){(uint16_t)pc, code->bytes[pc], 0};
}

/* Record an instruction that is not plain. */
static enum mb_status note_insn(struct cf_scan *scan, const struct cf_code *code, uint32_t pc,
                                struct mb_error *err)
{
    switch (cf_opcode(code->bytes[pc])->role) {
    case CF_ROLE_RETURN:
    case CF_ROLE_THROW:
        scan->exits[scan->exit_count++] = (uint16_t)pc;
        return MB_OK;
    case CF_ROLE_SWITCH:
        add_site(scan, code, pc);
        scan->switch_count++;
        return check_switch(code, pc, err);
    case CF_ROLE_JUMP:
    case CF_ROLE_GOTO:
    case CF_ROLE_JSR:
        add_site(scan, code, pc);
        return check_branch(code, pc, err);
    case CF_ROLE_MONITOR:
        scan->has_monitors = true;
        return MB_OK;
    default:
        return MB_OK;
    }
}

#define WINDOW 4U /* an instruction of one to three bytes, and the opcode of the next */

/* Skip plain instructions, two at a time. The place of the next one depends on the size of this
 * one, so a walk waits for memory. Therefore sizes are looked up at all possible places of the
 * second before its place is known. Stops before an instruction that is not plain (size 0), or near
 * the end. */
static inline const uint8_t *skip_plain(const uint8_t *next, const uint8_t *end)
{
    const uint8_t *sizes = cf_plain_sizes;

    while (end - next >= (ptrdiff_t)WINDOW) {
        uint32_t first = sizes[next[0]];
        if (first == 0) {
            break;
        }
        /* By size of the first; after a longer one (at most 5 bytes) 0, which means unknown. */
        uint64_t seconds = (uint64_t)sizes[next[1]] << 8 | (uint64_t)sizes[next[2]] << 16 |
                           (uint64_t)sizes[next[3]] << 24;
        uint32_t both = first + (uint8_t)(seconds >> (8 * first));
        if (both > (uint32_t)(end - next)) {
            break;
        }
        next += both;
    }
    return next;
}

enum mb_status cf_scan_code(struct cf_scan *scan, const struct cf_code *code, struct mb_error *err)
{
    const uint8_t *next = code->bytes;
    const uint8_t *last = next;
    const uint8_t *end = next + code->size;

    scan->exit_count = 0;
    scan->site_count = 0;
    scan->switch_count = 0;
    scan->has_monitors = false;
    while (next < end) {
        next = skip_plain(next, end);
        if (next == end) {
            break;
        }
        uint32_t size = cf_plain_sizes[*next];
        last = next;
        if (size == 0) {
            uint32_t pc = (uint32_t)(next - code->bytes);
            size = cf_insn_size(code->bytes, code->size, pc);
            if (MB_UNLIKELY(size == 0)) {
                return bad_insn(code, pc, err);
            }
            MB_TRY(note_insn(scan, code, pc, err));
        }
        next += size;
    }
    return MB_LIKELY(next == end) ? MB_OK : bad_insn(code, (uint32_t)(last - code->bytes), err);
}
