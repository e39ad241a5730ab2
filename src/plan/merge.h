/* Which entries make up the one merged jar: each name once, sorted. */

#ifndef PLAN_MERGE_H
#define PLAN_MERGE_H

#include "plan/warnings.h"

struct plan_member {
    struct mb_text name;
    uint32_t source;
    uint32_t entry;
    struct plan_class *cls; /* NULL: not a class, kept by option */
    bool is_manifest;
};

struct plan_merge_request {
    struct plan_sources *sources; /* classes that are left out become is_dropped */
    const struct mb_intern *names;
    bool keeps_resources;
    struct plan_warnings *warnings;
    struct mb_arena *arena; /* owns the members */
};

/* Classes outside of META-INF that are not module-info, under the names that a class path has them
 * by: without WEB-INF/classes/ and BOOT-INF/classes/. With keeps_resources other entries too, but
 * no folders and signatures, and ahead of all the first manifest. Of entries with one name that of
 * the first input wins; the others are dropped, with a warning if the content is another. */
MB_MUST_CHECK enum mb_status plan_merge(const struct plan_merge_request *request,
                                        struct plan_member **members, size_t *count,
                                        struct mb_error *err);

#endif
