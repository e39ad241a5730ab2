/* What the catch-any handler of a method may cover. */

#ifndef WEAVE_COVER_H
#define WEAVE_COVER_H

#include "classfile/relocate.h"

/* Fill edit's covered ranges, in the arena: the whole body; in a constructor only where this is
 * initialised (JVMS §4.10.1.9), which may be nowhere; and in a method with monitors not its return
 * instructions, which may throw after their o was called (JVMS §2.11.10). */
MB_MUST_CHECK enum mb_status weave_cover(struct cf_edit *edit, struct mb_arena *arena,
                                         struct mb_error *err);

#endif
