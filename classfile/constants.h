/* Constants added after the old ones, so that no old index changes (JVMS §4.4). */

#ifndef CLASSFILE_CONSTANTS_H
#define CLASSFILE_CONSTANTS_H

#include "classfile/pool.h"

#define CF_MAX_POOL_COUNT 65535U /* constant_pool_count is a u2 */

/* Zeroed memory is valid before cf_constants_start; finish with cf_constants_finish. */
struct cf_constants {
    struct mb_buf bytes; /* the new entries */
    uint32_t count;      /* constant_pool_count with them */
    bool is_full;        /* an entry found no place; sticky until the next start */
};

/* Begin after the entries of pool; keeps its memory. */
void cf_constants_start(struct cf_constants *constants, const struct cf_pool *pool);
void cf_constants_finish(struct cf_constants *constants);

/* Indices of new entries, 0 and is_full when the pool is full. Nothing is looked up: ask once
 * per class and keep the index. */
uint16_t cf_constants_add_utf8(struct cf_constants *constants, struct mb_text text);
uint16_t cf_constants_add_integer(struct cf_constants *constants, uint32_t value);
uint16_t cf_constants_add_class(struct cf_constants *constants, struct mb_text name);

/* tag is METHODREF or INTERFACE_METHODREF; class_index a Class. */
uint16_t cf_constants_add_member(struct cf_constants *constants, enum cf_tag tag,
                                 uint16_t class_index, uint16_t name_index,
                                 uint16_t descriptor_index);

/* Entries that still find a place. */
uint32_t cf_constants_room(const struct cf_constants *constants);

#endif
