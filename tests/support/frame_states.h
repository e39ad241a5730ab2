/* Whether the types that cf_state_step follows agree with the frames that the compiler wrote. */

#ifndef SUPPORT_FRAME_STATES_H
#define SUPPORT_FRAME_STATES_H

#include "classfile/code.h"

/* From each frame to the next, along branches, and into handlers, locals and stack must be what the
 * frame there says, as far as that can be told without a class hierarchy. Classes below
 * version 51, which need no frames, agree. frame_count grows by the arrivals at frames. The code
 * must be one that cf_scan_code accepts. */
MB_MUST_CHECK enum mb_status frame_states_check(const struct cf_class *cls,
                                                const struct cf_member *method,
                                                const struct cf_code *code, struct mb_arena *arena,
                                                size_t *frame_count, struct mb_error *err);

#endif
