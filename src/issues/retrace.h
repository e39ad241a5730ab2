/* Frames of a program that was shrunk, as its source has them, and whom they blame. */

#ifndef ISSUES_RETRACE_H
#define ISSUES_RETRACE_H

#include "issues/collection.h"
#include "rules/builds.h"

/* builds NULL: names stay. After issues_unite. Fails without memory, or if the mapping cannot be
 * read. */
MB_MUST_CHECK enum mb_status issues_retrace(struct issues_collection *all,
                                            struct rule_builds *builds, struct mb_error *err);

#endif
