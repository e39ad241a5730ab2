/* The parts of a listing, one file each. For dump*.c only. */

#ifndef CLASSFILE_DUMP_PARTS_H
#define CLASSFILE_DUMP_PARTS_H

#include "classfile/code.h"
#include "classfile/dump.h"

struct cf_dump {
    const struct cf_class *cls;
    const struct cf_dump_options *options;
    struct mb_buf *out;
    struct mb_error *err;
};

/* A name or descriptor, escaped; "-" if it is empty. */
void cf_dump_text(struct mb_buf *out, struct mb_text text);

/* " public static" and so on, as they mean in this place. */
void cf_dump_flags(struct mb_buf *out, uint16_t flags, enum cf_place place);

/* What a constant says, in one line: "a/B.run()V", "int 5", "\"text\"". */
void cf_dump_constant(struct mb_buf *out, const struct cf_pool *pool, uint16_t index);
void cf_dump_pool(const struct cf_dump *dump);

/* The Code attribute of a method, with handlers and its own attributes. */
MB_MUST_CHECK enum mb_status cf_dump_code(const struct cf_dump *dump,
                                          const struct cf_member *method);

/* The attributes of Code that name pcs. */
MB_MUST_CHECK enum mb_status cf_dump_frames(const struct cf_dump *dump,
                                            const struct cf_attribute *attribute);
MB_MUST_CHECK enum mb_status cf_dump_lines(const struct cf_dump *dump,
                                           const struct cf_attribute *attribute);
MB_MUST_CHECK enum mb_status cf_dump_variables(const struct cf_dump *dump,
                                               const struct cf_attribute *attribute);
MB_MUST_CHECK enum mb_status cf_dump_type_annotations(const struct cf_dump *dump,
                                                      const struct cf_attribute *attribute);

#endif
