/* Where the exception handlers of a method begin. */

#ifndef WEAVE_HANDLERS_H
#define WEAVE_HANDLERS_H

#include "classfile/relocate.h"

/* Ascending, each once; in the arena. */
struct weave_handlers {
    uint16_t *pcs;
    size_t count;
};

/* MB_UNSUPPORTED if a handler begins inside an instruction. */
MB_MUST_CHECK enum mb_status weave_handlers_find(struct weave_handlers *handlers,
                                                 const struct cf_code *code, struct mb_arena *arena,
                                                 struct mb_error *err);

#endif
