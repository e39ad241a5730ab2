/* Outputs whose names differ in case alone, where the file system takes such names for one. */

#ifndef PUBLISH_CASES_H
#define PUBLISH_CASES_H

#include "base/strmap.h"
#include "publish/commit.h"

/* True if the commit goes where case does not count. */
bool pub_cases_matter(const struct pub_commit *commit);

/* The file stays there, and so does path. cases is empty at first: path apart from case -> path. */
MB_MUST_CHECK enum mb_status pub_cases_keep(struct mb_strmap *cases, const char *path,
                                            struct mb_error *err);

/* MB_IO, naming both, if what is put and what is put or kept have one name where case does not
 * count. Drops removals of what is there under its name in another case. */
MB_MUST_CHECK enum mb_status pub_cases_check(struct mb_strmap *cases, struct pub_commit *commit,
                                             struct mb_error *err);

#endif
