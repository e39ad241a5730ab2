/* The attributes of Code that name pcs, in a listing. For dump*.c only. */

#ifndef CLASSFILE_DUMP_TABLES_H
#define CLASSFILE_DUMP_TABLES_H

#include "dump_words.h"

MB_MUST_CHECK enum mb_status cf_dump_frames(const struct cf_dump *dump,
                                            const struct cf_attribute *attribute);
MB_MUST_CHECK enum mb_status cf_dump_lines(const struct cf_dump *dump,
                                           const struct cf_attribute *attribute);
MB_MUST_CHECK enum mb_status cf_dump_variables(const struct cf_dump *dump,
                                               const struct cf_attribute *attribute);
MB_MUST_CHECK enum mb_status cf_dump_type_annotations(const struct cf_dump *dump,
                                                      const struct cf_attribute *attribute);

#endif
