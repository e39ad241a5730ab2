/* Stack map frames, read and moved: StackMapTable (JVMS §4.7.4) and the StackMap of CLDC. */

#ifndef CLASSFILE_FRAMES_H
#define CLASSFILE_FRAMES_H

#include "classfile/class.h"
#include "classfile/tables.h"

/* verification_type_info. */
enum cf_type_tag {
    CF_TYPE_TOP,
    CF_TYPE_INTEGER,
    CF_TYPE_FLOAT,
    CF_TYPE_DOUBLE,
    CF_TYPE_LONG,
    CF_TYPE_NULL,
    CF_TYPE_UNINITIALIZED_THIS,
    CF_TYPE_OBJECT,        /* u2: Class index */
    CF_TYPE_UNINITIALIZED, /* u2: pc of the new */
};

/* frame_type values: that of a form, or the first or last of its range. */
enum cf_frame_type {
    CF_FRAME_SAME_LAST = 63,           /* 0 .. 63 */
    CF_FRAME_SAME_LOCALS_1_LAST = 127, /* 64 .. 127, with one type */
    CF_FRAME_SAME_LOCALS_1_EXTENDED = 247,
    CF_FRAME_CHOP_FIRST = 248, /* 248 .. 250 drop 3 .. 1 locals */
    CF_FRAME_SAME_EXTENDED = 251,
    CF_FRAME_APPEND_FIRST = 252, /* 252 .. 254 append 1 .. 3 locals */
    CF_FRAME_FULL = 255,         /* also every frame of a StackMap */
};

/* Views the class bytes. */
struct cf_frame {
    uint32_t pc; /* 0 .. 65535; the reader does not know the size of the code */
    uint8_t type;
    uint8_t chop_count;   /* locals of the frame before that are gone */
    uint16_t local_count; /* types at locals: all of a full frame, else those appended */
    uint16_t stack_count; /* types at stack */
    uint16_t tags;        /* of its types: bits 1 << enum cf_type_tag */
    const uint8_t *body;  /* after the pc or delta */
    const uint8_t *locals;
    const uint8_t *stack;
    const uint8_t *end;
};

/* Visits frames in the order of the file. */
struct cf_frames {
    struct cf_cursor in;
    uint32_t next_pc; /* the pc that a delta of 0 means */
    uint16_t left;
    bool is_cldc;
    bool is_bad;
};

/* The attribute is a StackMapTable or a StackMap. */
struct cf_frames cf_frames_of(const struct cf_class *cls, const struct cf_attribute *attribute);

/* False at the end and at a malformed or unordered frame; cf_frames_check reports which. */
bool cf_frames_next(struct cf_frames *frames, struct cf_frame *frame);

/* After the last frame: MB_BAD_CLASS if that was not the attribute's end. */
MB_MUST_CHECK enum mb_status cf_frames_check(const struct cf_frames *frames, struct mb_error *err);

/* A full frame that is new: bytes are number_of_locals, locals, number_of_stack_items, stack, all
 * in terms of the new code. Borrowed. */
struct cf_extra_frame {
    const uint8_t *bytes;
    uint32_t size;
    uint32_t pc; /* in the new code */
};

/* Append the attribute's content, moved, with the extra frame at the end, if given: it comes after
 * every old frame, so no old frame counts from a new one. A short form becomes its extended one if
 * the delta needs it; otherwise forms stay. MB_BAD_CLASS for malformed frames, MB_TOO_LARGE for
 * more than 65535 of them. */
MB_MUST_CHECK enum mb_status cf_frames_relocate(const struct cf_class *cls,
                                                const struct cf_attribute *attribute,
                                                const struct cf_offsets *offsets,
                                                const struct cf_extra_frame *extra,
                                                struct mb_buf *out, struct mb_error *err);

#endif
