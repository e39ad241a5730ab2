/* The attributes of Code that name pcs, stack maps aside (frames.h): each function appends the
 * attribute's content, moved, without its header. MB_BAD_CLASS when the content is not of the size
 * that it says. */

#ifndef CLASSFILE_TABLES_H
#define CLASSFILE_TABLES_H

#include "classfile/class.h"
#include "classfile/offsets.h"

/* LineNumberTable (JVMS §4.7.12). */
MB_MUST_CHECK enum mb_status cf_lines_relocate(const struct cf_attribute *attribute,
                                               struct cf_offsets *offsets, struct mb_buf *out,
                                               struct mb_error *err);

/* LocalVariableTable and LocalVariableTypeTable (JVMS §4.7.13, §4.7.14). */
MB_MUST_CHECK enum mb_status cf_variables_relocate(const struct cf_attribute *attribute,
                                                   struct cf_offsets *offsets, struct mb_buf *out,
                                                   struct mb_error *err);

/* CharacterRangeTable of javac -Xjcov. */
MB_MUST_CHECK enum mb_status cf_character_ranges_relocate(const struct cf_attribute *attribute,
                                                          struct cf_offsets *offsets,
                                                          struct mb_buf *out, struct mb_error *err);

/* Runtime(In)VisibleTypeAnnotations of Code (JVMS §4.7.20). MB_UNSUPPORTED when element values nest
 * deeper than anyone writes them. */
MB_MUST_CHECK enum mb_status cf_type_annotations_relocate(const struct cf_attribute *attribute,
                                                          struct cf_offsets *offsets,
                                                          struct mb_buf *out, struct mb_error *err);

#endif
