/* Groups of issues as people and programs read them: one file a format, in one table. Pure
 * functions of their input. */

#ifndef ISSUES_OUTPUT_H
#define ISSUES_OUTPUT_H

#include "answer/events.h"
#include "answer/facts.h"
#include "answer/issue.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "issues/collection.h"
#include "issues/names.h"

/* Issues that have something in common, and what of them there is to tell. */

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

/* All borrowed. */
struct issues_page {
    const struct issues_collection *all;
    const struct issues_groups *groups;
    struct issues_names *names;
    size_t top; /* groups that are shown */
    bool colour;
    size_t columns; /* of a line that people read; 0: names in full */
};

struct issues_format {
    const char *name;
    void (*put)(const struct issues_page *page, struct mb_buf *out);
};

enum issues_format_number { ISSUES_TEXT, ISSUES_JSON, ISSUES_CSV };

/* NULL after the last. */
const struct issues_format *issues_format_at(size_t number);

extern const struct issues_format issues_text;
extern const struct issues_format issues_json;
extern const struct issues_format issues_csv;

/* ---- For the formats ---- */

/* Rows that are shown. */
const struct answer_cause *issues_rows(const struct issues_page *page, size_t *count);

/* Issues as reports show them: by cause, and each at its time. */

/* Zeroed memory can be finished. */
struct issues_shown {
    struct issues_collection all;
    struct issues_groups groups;
    struct issues_names *names;
    MB_VEC(struct answer_cause) causes;        /* without drawing */
    MB_VEC(const struct answer_issue *) drawn; /* in order of time */
};

/* All of a spool, with most causes at most; frames apart. Fails without memory, without the map
 * that the source names, and if the spool cannot be opened. */
MB_MUST_CHECK enum mb_status issues_show(struct issues_shown *shown, const char *spool,
                                         const struct issues_map_source *source, size_t most,
                                         struct mb_error *err);
void issues_shown_finish(struct issues_shown *shown);

/* Views of these. */
struct answer_monitors issues_shown_monitors(const struct issues_shown *shown);
struct answer_issues issues_shown_all(const struct issues_shown *shown);

/* Names for the method ids in what Matrix's TraceCanary wrote: its log, and the issues it reports.
 *
 *   |*      ..6957 1 17                an item of a logged stack: dots, id, count, ms
 *   |*          6957[17]               the same, of early versions
 *   |*      StackKey: 6926|            a key; also "stackKey:"
 *   1,6957,1,17                        an item of an issue: depth, id, count, ms; a whole line
 *   stack:[0,1048574,1,98, 1,6957,1,17]
 *   "stack":"0,1048574,1,98\n1,6957,1,17\n","stackKey":"6957|"
 *
 * The first three may have any text of a logger in front. The last may itself be inside a JSON
 * string, with its quotes escaped. */

/* Append the line, with names where it has ids that names knows. Everything else is copied byte for
 * byte, its end included. Out of memory shows in out. */
void issues_symbolize(struct mb_buf *out, struct mb_text line, const struct answer_names *names);

#endif
