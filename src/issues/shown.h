/* Issues as reports show them: by cause, and each at its time. */

#ifndef ISSUES_SHOWN_H
#define ISSUES_SHOWN_H

#include "answer/events.h"
#include "answer/facts.h"
#include "base/vec.h"
#include "issues/collection.h"
#include "issues/groups.h"

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

#endif
