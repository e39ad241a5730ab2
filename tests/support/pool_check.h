/* A stricter look at a constant pool than the product needs. */

#ifndef SUPPORT_POOL_CHECK_H
#define SUPPORT_POOL_CHECK_H

#include "classfile/pool.h"

/* That every reference inside the pool names an entry of the right kind (JVMS §4.4). */
MB_MUST_CHECK enum mb_status pool_check(const struct cf_pool *pool, struct mb_error *err);

#endif
