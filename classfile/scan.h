/* One walk over a method's instructions: where it ends and where it jumps. */

#ifndef CLASSFILE_SCAN_H
#define CLASSFILE_SCAN_H

#include "classfile/code.h"

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

#endif
