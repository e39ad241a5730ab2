/* Where an exception may leave a method that holds a lock. */

#ifndef WEAVE_LOCKS_H
#define WEAVE_LOCKS_H

#include "classfile/edit.h"

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

#endif
