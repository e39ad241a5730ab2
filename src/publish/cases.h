/* Outputs whose names differ in case alone, where the file system takes such names for one. */

#ifndef PUBLISH_CASES_H
#define PUBLISH_CASES_H

#include "base/strmap.h"
#include "publish/commit.h"

/* Empty with an arena alone; mb_strmap_finish frees it. */
struct pub_cases {
    struct mb_arena *arena;
    struct mb_strmap paths; /* folded path -> as it was given */
};

/* Whether the commit goes where case does not count. */
bool pub_cases_matter(const struct pub_commit *commit);

/* This file will be there. MB_IO, naming both, if another one has its name. */
MB_MUST_CHECK enum mb_status pub_cases_claim(struct pub_cases *cases, const char *path,
                                             struct mb_error *err);

/* Claims what is put, and drops removals of what was put under its name in another case. */
MB_MUST_CHECK enum mb_status pub_cases_check(struct pub_cases *cases, struct pub_commit *commit,
                                             struct mb_error *err);

#endif
