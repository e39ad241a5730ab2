/* Shared parts of listings. For dump*.c only. */

#ifndef CLASSFILE_DUMP_WORDS_H
#define CLASSFILE_DUMP_WORDS_H

#include "classfile/class.h"

struct cf_dump_options;

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

#endif
