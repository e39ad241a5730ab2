/* Numbers for method ids in the order in which they turn up: what formats refer to names by. */

#ifndef FORMATS_IDS_H
#define FORMATS_IDS_H

#include "base/vec.h"

/* Zeroed memory has seen none. */
struct format_ids {
    union mb_numbers numbers; /* [id], 0: not seen */
    union mb_numbers seen;    /* the ids by number, from that of 1 on */
};

/* From 1 on; 0 without memory, and out fails. *is_new: it turned up for the first time; NULL: that
 * is not asked. */
uint32_t format_ids_number(struct format_ids *ids, uint32_t id, struct mb_buf *out, bool *is_new);

/* Forget them, keep the memory. */
void format_ids_reset(struct format_ids *ids);
void format_ids_finish(struct format_ids *ids);

#endif
