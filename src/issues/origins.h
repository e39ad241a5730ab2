/* How many issues of each group come from which versions and devices. */

#ifndef ISSUES_ORIGINS_H
#define ISSUES_ORIGINS_H

#include "answer/issue.h"
#include "base/strmap.h"
#include "base/vec.h"

#define ISSUES_MOST_ORIGINS 8u /* that are shown */

/* Zeroed memory can be finished. Its memory grows with different names, not with issues. */
struct issues_origins {
    struct mb_strmap places; /* group, origin and name -> number of the row and one more */
    MB_VEC(struct answer_origin_count) rows;
};

/* Count an issue of that group; names are of one pool, empty ones do not count. False without
 * memory. */
bool issues_origins_add(struct issues_origins *all, size_t group,
                        const struct mb_text names[ANSWER_ORIGINS]);

/* Give each group its own; groups are numbered as they were for add. Once, after all are in. */
void issues_origins_hand_out(struct issues_origins *all, struct answer_cause *groups);
void issues_origins_finish(struct issues_origins *all);

/* "5.2 x 40, 5.1 x 12 and 3 more", with names cut to room columns; 0: in full. */
void issues_put_origins(struct mb_buf *out, const struct answer_origins *origins, size_t room);

#endif
