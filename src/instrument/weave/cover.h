/* The ranges that a method's catch-any handler may cover. */

#ifndef INSTRUMENT_WEAVE_COVER_H
#define INSTRUMENT_WEAVE_COVER_H

#include "classfile/edit.h"
#include "classfile/relocate.h"

/* Fill edit's covered ranges, in the arena: the whole body; in a constructor only what is after
 * this(...) or super(...) (JVMS §4.10.1.9), and nothing if a branch comes before that; in a method
 * with monitors not its return instructions, which may throw after their o was called (JVMS
 * §2.11.10), and not the gaps below; and no array literals of numbers, which throw only
 * where memory ends, and which D8 writes as a table of bytes only where no handler covers them.
 * The insertions of edit must be there. */
MB_MUST_CHECK enum mb_status weave_cover(struct cf_edit *edit, bool *has_lock_gaps,
                                         struct mb_arena *arena, struct mb_error *err);

/* True if a call that the method makes may be open when an exception leaves it: it calls methods
 * other than Java's own, whose calls of the program end by themselves. Also true for malformed
 * code. */
bool weave_may_hold_calls(const struct cf_class *cls, const struct cf_code *code);

/* ---- Where an exception may leave a method that holds a lock ---- */

/* Set [pc] of each instruction at which that may happen, itself or in a probe before it, and of
 * those up to the next one: it runs between monitorenter and monitorexit on some path, and no
 * handler of the method's own catches all there. An optimizer leaves such gaps where it thinks that
 * nothing throws. An array of the code's size, in the arena; NULL where there are none, with jsr or
 * ret, and for code whose handlers take too long to follow. The insertions of edit must be there.
 *
 * No inserted handler may cover them: ART merges the depths of locks of all ways to a handler, and
 * a method with several is left to its slowest interpreter (register_line.cc, MergeRegisters; 7 to
 * 16 say VERIFY_ERROR_LOCKING and set kAccMustCountLocks, 5 and 6 only log). It asks for a handler
 * that catches all only inside of a try. monitorexit and returns count as never throwing, as they
 * do there (method_verifier.cc, MONITOR_EXIT) and in HotSpot's do_exception_edge. */
MB_MUST_CHECK enum mb_status weave_find_lock_gaps(bool **gaps, const struct cf_edit *edit,
                                                  struct mb_arena *arena, struct mb_error *err);

/* ---- Where the exception handlers of a method begin ---- */

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
