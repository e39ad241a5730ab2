/* Frames behind jumps that were widened. */

#ifndef CLASSFILE_FALLTHROUGH_H
#define CLASSFILE_FALLTHROUGH_H

#include "classfile/edit.h"
#include "classfile/frames.h"

/* What used to fall through a conditional jump now is jumped to, and needs a frame (JVMS §4.10.1).
 * As frames are told as differences, one more changes what the next ones mean: so these are all
 * frames of the method, in full and in new offsets, one for each old one and one behind each site
 * of edit's scan that grew by CF_GROWTH_JUMP. In the arena, ascending, with room for one more.
 * Types that have no Class yet are added to edit's constants. */
MB_MUST_CHECK enum mb_status
cf_fallthrough_frames(const struct cf_edit *edit, const struct cf_attribute *attribute,
                      const struct cf_offsets *offsets, struct mb_arena *arena,
                      struct cf_frame_list *list, struct mb_error *err);

#endif
