/* Which entries make up the one merged jar: each name once, sorted. */

#ifndef INSTRUMENT_MERGE_H
#define INSTRUMENT_MERGE_H

#include "instrument/run.h"

struct ins_member {
    struct mb_text name;
    uint32_t source;
    uint32_t entry;
    struct ins_class *cls; /* NULL: what is no class, kept by option */
};

/* Classes outside of META-INF that are no module-info; other entries too with keep_resources, but no
 * folders, manifests and signatures. Of entries with one name that of the first input wins; the
 * others are dropped, with a warning if the content is another. Owned by the run's arena. */
MB_MUST_CHECK enum mb_status ins_merge(struct ins_run *run, struct ins_member **members,
                                       size_t *count, struct mb_error *err);

#endif
