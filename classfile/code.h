/* The Code attribute (JVMS §4.7.3). */

#ifndef CLASSFILE_CODE_H
#define CLASSFILE_CODE_H

#include "classfile/class.h"

#define CF_MAX_CODE_SIZE 65535U /* code_length must be less than 65536 */
#define CF_HANDLER_SIZE 8U      /* start_pc, end_pc, handler_pc, catch_type */

/* Views the class bytes. */
struct cf_code {
    uint16_t max_stack;
    uint16_t max_locals;
    uint16_t handler_count;
    uint16_t attribute_count;
    uint32_t size;            /* code_length: 1 .. 65535 */
    const uint8_t *bytes;     /* the instructions */
    const uint8_t *handlers;  /* handler_count rows of CF_HANDLER_SIZE bytes */
    size_t offset;            /* of bytes, in the class file */
    size_t attributes_offset; /* of attributes_count */
    size_t end;               /* the end of the attribute */
};

/* The method must have a Code attribute (asserted). Checks sizes, handler ranges, and that the
 * attribute ends where its length says, but not the instructions. Errors name class and method. */
MB_MUST_CHECK enum mb_status cf_code_parse(struct cf_code *code, const struct cf_class *cls,
                                           const struct cf_member *method, struct mb_error *err);

/* Visit the attributes of the code. */
struct cf_attributes cf_code_attributes(const struct cf_class *cls, const struct cf_code *code);

/* Name class and method in err, if those blanks are still free. */
void cf_error_in_method(struct mb_error *err, const struct cf_class *cls,
                        const struct cf_member *method);

#endif
