/* What an input records of others' bytes: the JVM wants one signer for all classes of a package,
 * and a module-info may hold hashes of modules (jar --hash-modules). So an input may have to change
 * although none of its methods gets a probe. */

#ifndef PLAN_TIES_H
#define PLAN_TIES_H

#include "plan/source.h"

/* Sets is_signed and is_rewritten of all sources, and drops_hashes of all classes. A source whose
 * fate is another than in the run before has no current output. */
MB_MUST_CHECK enum mb_status plan_find_rewritten(struct plan_sources *sources,
                                                 const struct mb_intern *names,
                                                 struct mb_error *err);

#endif
