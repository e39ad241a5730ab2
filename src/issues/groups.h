/* Issues that have something in common, and what of them there is to tell. */

#ifndef ISSUES_GROUPS_H
#define ISSUES_GROUPS_H

#include "answer/issue.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "issues/collection.h"
#include "issues/names.h"

/* ---- From which versions and devices they come ---- */

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

/* ---- Groups ---- */

enum issues_grouping {
    ISSUES_BY_KEY, /* the method that its stackKey names; else what its stack explains it with */
    ISSUES_BY_DETAIL,
    ISSUES_BY_SCENE,
    ISSUES_BY_APP, /* process */
    ISSUES_BY_DAY, /* UTC */
};

/* Which issues count. */
struct issues_filter {
    const char *details; /* names, with commas between; NULL: all */
    int64_t since_ms;    /* since 1970; 0: all */
};

struct issues_groups {
    MB_VEC(struct answer_cause) rows; /* greatest total first */
    MB_VEC(struct mb_text) labels;    /* that of each issue's group; empty: none, or left out */
    struct issues_origins origins;
    size_t issue_count;
    size_t left_out; /* by the filter */
    int64_t total_ns;
    int64_t first_ms;
    int64_t last_ms;
};

/* Zeroed memory can be finished. Groups borrow from the collection, and put labels into its
 * pool. */
MB_MUST_CHECK enum mb_status issues_group(struct issues_groups *groups,
                                          struct issues_collection *all, struct issues_names *names,
                                          enum issues_grouping grouping,
                                          const struct issues_filter *filter, struct mb_error *err);
void issues_groups_finish(struct issues_groups *groups);

#endif
