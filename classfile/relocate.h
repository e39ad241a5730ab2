/* Moves a method's code apart to make room for insertions: branches, switches, exception table,
 * stack map frames and debug tables follow (JVMS §4.7.3). Frames are moved, never computed from a
 * class hierarchy. */

#ifndef CLASSFILE_RELOCATE_H
#define CLASSFILE_RELOCATE_H

#include "classfile/edit.h"

struct cf_relocator;

/* Scratch of one thread, about 800 KB. NULL when out of memory. Free with cf_relocator_destroy. */
struct cf_relocator *cf_relocator_create(void);
void cf_relocator_destroy(struct cf_relocator *relocator);

/* Append the new Code attribute to out. MB_TOO_LARGE: the code would exceed 65,535 bytes or another
 * field its u2; the reason fits a list. MB_UNSUPPORTED: valid, but not movable. On failure out may
 * hold part of it. */
MB_MUST_CHECK enum mb_status cf_relocate(struct cf_relocator *relocator, const struct cf_edit *edit,
                                         struct mb_buf *out, struct mb_error *err);

#endif
