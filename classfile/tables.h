/* The attributes of Code that contain pcs, except stack maps (frames.h): each function appends the
 * attribute's content, moved, without its header. MB_BAD_CLASS if the content does not have the
 * size that it states. */

#ifndef CLASSFILE_TABLES_H
#define CLASSFILE_TABLES_H

#include "classfile/class.h"
#include "classfile/offsets.h"

/* The contents of the target_info of a type annotation (JVMS §4.7.20.1). */
enum cf_target_form {
    CF_TARGET_SKIP,      /* size bytes, no pcs */
    CF_TARGET_VARIABLES, /* u2 count, rows of start_pc, length, index */
    CF_TARGET_OFFSET,    /* u2 pc, then size bytes */
};

/* For a range of target_type. */
struct cf_target {
    uint8_t first;
    uint8_t last;
    uint8_t form; /* enum cf_target_form */
    uint8_t size; /* of the index that is not a pc */
};

/* NULL for a target_type that is reserved. */
const struct cf_target *cf_target_find(uint8_t target_type);

/* Move past an annotation (JVMS §4.7.16), from its type on. False when values nest deeper than
 * anyone writes them. */
bool cf_annotation_skip(struct cf_cursor *in);

/* LineNumberTable (JVMS §4.7.12). */
MB_MUST_CHECK enum mb_status cf_lines_relocate(const struct cf_attribute *attribute,
                                               const struct cf_offsets *offsets, struct mb_buf *out,
                                               struct mb_error *err);

/* The start_pc and length at span, of a variable or a type annotation's target. */
void cf_span_relocate(uint8_t span[4], const struct cf_offsets *offsets);

/* LocalVariableTable and LocalVariableTypeTable (JVMS §4.7.13, §4.7.14). */
MB_MUST_CHECK enum mb_status cf_variables_relocate(const struct cf_attribute *attribute,
                                                   const struct cf_offsets *offsets,
                                                   struct mb_buf *out, struct mb_error *err);

/* CharacterRangeTable of javac -Xjcov. */
MB_MUST_CHECK enum mb_status cf_character_ranges_relocate(const struct cf_attribute *attribute,
                                                          const struct cf_offsets *offsets,
                                                          struct mb_buf *out, struct mb_error *err);

/* Runtime(In)VisibleTypeAnnotations of Code (JVMS §4.7.20). MB_UNSUPPORTED when element values nest
 * deeper than anyone writes them. */
MB_MUST_CHECK enum mb_status cf_type_annotations_relocate(const struct cf_attribute *attribute,
                                                          const struct cf_offsets *offsets,
                                                          struct mb_buf *out, struct mb_error *err);

#endif
