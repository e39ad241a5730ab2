#include "weave/handlers.h"

#include "classfile/opcode.h"

#include <stdlib.h>

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
