/* The ranges that a method's catch-any handler may cover. */

#ifndef WEAVE_COVER_H
#define WEAVE_COVER_H

#include "classfile/relocate.h"

/* Fill edit's covered ranges, in the arena: the whole body; in a constructor only what is after
 * this(...) or super(...) (JVMS §4.10.1.9), and nothing if a branch comes before that; in a method
 * with monitors not its return instructions, which may throw after their o was called (JVMS
 * §2.11.10), and not the gaps of weave/locks.h; and no array literals of numbers, which throw only
 * where memory ends, and which D8 writes as a table of bytes only where no handler covers them.
 * The insertions of edit must be there. */
MB_MUST_CHECK enum mb_status weave_cover(struct cf_edit *edit, bool *has_lock_gaps,
                                         struct mb_arena *arena, struct mb_error *err);

/* True if a call that the method makes may be open when an exception leaves it: it calls methods
 * other than Java's own, whose calls of the program end by themselves. Also true for malformed
 * code. */
bool weave_may_hold_calls(const struct cf_class *cls, const struct cf_code *code);

#endif
