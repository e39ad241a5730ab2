/* Issues that have something in common, and what of them there is to tell. */

#ifndef ISSUES_GROUPS_H
#define ISSUES_GROUPS_H

#include "issues/collection.h"
#include "issues/names.h"

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

#define ISSUES_MOST_DETAILS 8u /* of a group that are told apart */

struct issues_detail_count {
    uint32_t detail; /* text; 0: others */
    size_t count;
};

struct issues_group {
    uint32_t label; /* text; 0: its issues have nothing to group them by */
    size_t count;
    int64_t total_ns;
    int64_t first_ms; /* or ISSUES_UNKNOWN */
    int64_t last_ms;
    const struct issues_issue *worst; /* the longest */
    struct issues_detail_count details[ISSUES_MOST_DETAILS];
};

struct issues_groups {
    struct mb_buf rows;   /* struct issues_group, greatest total first */
    struct mb_buf labels; /* uint32_t: that of each issue's group; 0: none, or left out */
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

/* "2026-09-21 14:13:35"; its first 10 bytes are the day. */
#define ISSUES_TIME_SIZE 32u
void issues_format_time(char text[ISSUES_TIME_SIZE], int64_t ms);

#endif
