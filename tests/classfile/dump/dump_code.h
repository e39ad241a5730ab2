/* The Code attribute in a listing. For dump*.c only. */

#ifndef CLASSFILE_DUMP_CODE_H
#define CLASSFILE_DUMP_CODE_H

#include "dump_words.h"

/* List the code of a method, with handlers and its own attributes. */
MB_MUST_CHECK enum mb_status cf_dump_code(const struct cf_dump *dump,
                                          const struct cf_member *method);

#endif
