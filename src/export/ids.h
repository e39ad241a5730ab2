/* Numbers for method ids in the order in which they turn up: what formats refer to names by. */

#ifndef EXPORT_IDS_H
#define EXPORT_IDS_H

#include "base/buf.h"

/* Zeroed memory has seen none. */
struct export_ids {
    struct mb_buf numbers; /* uint32_t [id], 0: not seen */
    struct mb_buf seen;    /* uint32_t, the ids by number */
};

/* From 1 on; 0 without memory. *is_new: it turned up for the first time. */
uint32_t export_ids_number(struct export_ids *ids, uint32_t id, bool *is_new);

/* The ids by number, from that of 1 on. */
const uint32_t *export_ids_seen(const struct export_ids *ids, size_t *count);

/* Forget them, keep the memory. */
void export_ids_reset(struct export_ids *ids);
void export_ids_finish(struct export_ids *ids);

#endif
