/* Where in a constructor this is initialized. */

#ifndef CLASSFILE_CONSTRUCTOR_H
#define CLASSFILE_CONSTRUCTOR_H

#include "classfile/code.h"
#include "classfile/relocate.h"

struct cf_ranges {
    struct cf_range *items;
    size_t count;
};

/* The ranges of code, ascending, that only run once a this(...) or super(...) has returned; in the
 * arena, possibly none. Found by following the uninitialized this through locals and stack from
 * the entry (JVMS §4.10.1.9); in code that nothing reaches, from its frames. MB_UNSUPPORTED when
 * the code does what no verifier lets through, or is so made that the search would take too
 * long. */
MB_MUST_CHECK enum mb_status cf_constructor_ranges(const struct cf_class *cls,
                                                   const struct cf_member *method,
                                                   const struct cf_code *code,
                                                   struct mb_arena *arena, struct cf_ranges *ranges,
                                                   struct mb_error *err);

#endif
