/* The edits of the code of a method. */

#ifndef CLASSFILE_EDIT_H
#define CLASSFILE_EDIT_H

#include "classfile/code.h"

/* One walk over a method's instructions: where it ends and where it jumps. */

/* An instruction that holds branch offsets. */
struct cf_site {
    uint16_t pc;
    uint8_t opcode;
    int8_t growth; /* bytes that relocation adds to it; switch padding may shrink */
};

/* Scratch for the largest possible method; about 400 KB, used from the front, so keep one per
 * thread. */
struct cf_scan {
    size_t exit_count;
    size_t site_count;
    size_t switch_count;
    bool has_monitors;                      /* monitorenter or monitorexit */
    uint16_t exits[CF_MAX_CODE_SIZE];       /* pcs of returns and athrow, ascending */
    struct cf_site sites[CF_MAX_CODE_SIZE]; /* ascending */
};

/* MB_BAD_CLASS, with the offset in the class file, if an instruction is undefined or passes the
 * end, or a branch leaves the code (JVMS §4.9.1). */
MB_MUST_CHECK enum mb_status cf_scan_code(struct cf_scan *scan, const struct cf_code *code,
                                          struct mb_error *err);

/* Straight-line code put before the instruction at pc. Borrowed. */
struct cf_insertion {
    const uint8_t *bytes;
    uint32_t size;
    uint32_t pc;
};

/* Instructions in [start_pc, end_pc) of the old code, each with the insertion before it, and the
 * insertion before the instruction at end_pc. */
struct cf_range {
    uint32_t start_pc;
    uint32_t end_pc;
    bool ends_before_insertion; /* without that at end_pc */
};

/* The edits of one method. All pointers are borrowed. */
struct cf_edit {
    const struct cf_class *cls;
    const struct cf_member *method;
    const struct cf_code *code; /* of the method */
    struct cf_scan *scan;       /* of the code; its growths are changed */

    const struct cf_insertion *insertions; /* by pc, at most one at each */
    size_t insertion_count;
    uint16_t max_size;     /* of the new code; 0: 65535 */
    uint16_t max_distance; /* of 16-bit jumps; 0: 32767, less only in tests */
    uint16_t extra_stack;  /* needed by insertions above the method's own max_stack */

    /* A handler that catches all and is appended after the code; no bytes, no handler. */
    const uint8_t *handler;
    uint32_t handler_size;
    uint16_t handler_stack;         /* depth it needs, the exception included */
    const struct cf_range *covered; /* covered ranges, ascending; rows appended last */
    size_t covered_count;
    uint16_t throwable_class; /* Class constant of java/lang/Throwable, for its frame */
    uint16_t stack_map_name;  /* Utf8 constant "StackMapTable" */
};

#endif
