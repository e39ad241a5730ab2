/* A class file as text for people and golden tests. The format is our own and stable: listings
 * differ only if the classes do. */

#ifndef CLASSFILE_DUMP_H
#define CLASSFILE_DUMP_H

#include "classfile/class.h"

struct cf_dump_options {
    struct mb_text method;     /* only methods of this name; empty: everything */
    struct mb_text descriptor; /* and of this descriptor; empty: any */
    bool with_pool;            /* list the constant pool too */
    bool without_code;         /* members and attributes by name only */
};

/* Append the listing to out. Names are cut out as they are (modified UTF-8), with blanks, control
 * characters and backslashes as \xNN. MB_BAD_CLASS when instructions, frames or tables inside a
 * method are malformed: what came before is in out. */
MB_MUST_CHECK enum mb_status cf_dump_class(const struct cf_class *cls,
                                           const struct cf_dump_options *options,
                                           struct mb_buf *out, struct mb_error *err);

#endif
