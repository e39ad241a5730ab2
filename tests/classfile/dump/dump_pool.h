/* Constants in a listing. For dump*.c only. */

#ifndef CLASSFILE_DUMP_POOL_H
#define CLASSFILE_DUMP_POOL_H

#include "dump_words.h"

/* Print a constant on one line: "a/B.run()V", "int 5", "\"text\"". */
void cf_dump_constant(struct mb_buf *out, const struct cf_pool *pool, uint16_t index);
void cf_dump_pool(const struct cf_dump *dump);

#endif
