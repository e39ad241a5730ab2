/* Pass 1: read every class, decide on its methods, keep what model.h says. */

#ifndef PLAN_COLLECT_H
#define PLAN_COLLECT_H

#include "plan/content.h"
#include "plan/warnings.h"
#include "rules/mapping.h"

struct plan_collect_request {
    struct plan_crew *crew;
    struct plan_sources *sources;   /* those that are unchanged are passed over */
    struct plan_contents *contents; /* open */
    struct mb_intern *names;
    const struct rule_set *rules;
    const struct rule_mapping *mapping; /* NULL without one */
    struct plan_warnings *warnings;
    struct mb_text beat_class;
    bool calls_catch;       /* probes call its c too */
    bool hashes_content;    /* copies from jars and folders meet, so that no checksum will do */
    bool keeps_rules;       /* for --explain */
    bool interns_all_names; /* the next run finds nothing in a class's content */
};

/* Classes are read in batches by all threads. One that cannot be read becomes a warning.
 * MB_BAD_USAGE: the beat class is among the inputs, and has no probes to call. */
MB_MUST_CHECK enum mb_status plan_collect(const struct plan_collect_request *request,
                                          struct mb_error *err);

#endif
