/* Where pcs go when code is moved apart, and the attributes of Code that contain pcs, except stack
 * maps (frames.h): each function appends the attribute's content, moved, without its header.
 * MB_BAD_CLASS if the content does not have the size that it states. */

#ifndef CLASSFILE_TABLES_H
#define CLASSFILE_TABLES_H

#include "base/check.h"
#include "classfile/class.h"

#include <stddef.h>
#include <stdint.h>

/* ---- Offsets: where each pc of the old code is in the new code ---- */

/* Code moves at points. Bytes put before the instruction at pc are a point with the key 2 * pc;
 * growth of the instruction itself, which moves what follows it, has 2 * pc + 1. */
struct cf_offset_point {
    uint32_t key;
    uint32_t shift; /* bytes added up to and with this point; modulo 2^32 */
};

/* Precomputed shift for each key, the sum of all points below it: a method has far more lookups
 * than points. Borrowed; zeroed memory has no shifts. */
struct cf_offsets {
    const uint16_t *shifts; /* modulo 2^16, as no pc is larger */
    size_t count;
    uint32_t end_shift; /* of keys from count on */
};

/* The keys of points ascend strictly, and lie inside the code. shifts has room for
 * 2 * code_size + CF_SHIFTS_SPARE. */
#define CF_SHIFTS_SPARE 15U
void cf_offsets_fill(struct cf_offsets *offsets, const struct cf_offset_point *points, size_t count,
                     uint32_t code_size, uint16_t *shifts);

static inline uint32_t cf_offsets_move(const struct cf_offsets *offsets, uint32_t pc, uint32_t key)
{
    return MB_LIKELY(key < offsets->count) ? (uint16_t)(pc + offsets->shifts[key])
                                           : pc + offsets->end_shift;
}

/* The instruction itself, after its insertion. */
static inline uint32_t cf_offsets_instruction(const struct cf_offsets *offsets, uint32_t pc)
{
    return cf_offsets_move(offsets, pc, 2 * pc + 1);
}

/* The target of jumps to pc: its insertion, so that an exit probe runs. Only at pc 0 they land
 * after it: the entry probe counts calls, not rounds of a loop. */
static inline uint32_t cf_offsets_target(const struct cf_offsets *offsets, uint32_t pc)
{
    return cf_offsets_move(offsets, pc, pc == 0 ? 1 : 2 * pc);
}

/* The begin of a line or variable that begins at pc: at its insertion. */
static inline uint32_t cf_offsets_start(const struct cf_offsets *offsets, uint32_t pc)
{
    return cf_offsets_move(offsets, pc, 2 * pc);
}

/* ---- Attributes ---- */

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
