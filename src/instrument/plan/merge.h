/* The entries of the merged jar: each name once, sorted. */

#ifndef INSTRUMENT_PLAN_MERGE_H
#define INSTRUMENT_PLAN_MERGE_H

#include "instrument/plan/warnings.h"

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

/* Classes outside of META-INF except module-info, under their class-path names: without
 * WEB-INF/classes/ and BOOT-INF/classes/. With keeps_resources also other entries, except folders
 * and signatures, and the first manifest ahead of all. Of entries with equal names the first
 * input's wins; the others are dropped, with a warning if their content differs. */
MB_MUST_CHECK enum mb_status plan_merge(const struct plan_merge_request *request,
                                        struct plan_member **members, size_t *count,
                                        struct mb_error *err);

#endif
