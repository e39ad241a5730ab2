/* Pass 1: read every class, decide on its methods, fill the model (model.h). */

#ifndef PLAN_COLLECT_H
#define PLAN_COLLECT_H

#include "plan/content.h"
#include "plan/warnings.h"
#include "rules/mapping.h"

struct plan_collect_request {
    struct plan_crew *crew;
    struct plan_sources *sources;   /* unchanged sources are skipped */
    struct plan_contents *contents; /* open */
    struct mb_intern *names;
    const struct rule_set *rules;
    const struct rule_mapping *mapping; /* may be NULL */
    struct plan_warnings *warnings;
    struct mb_text beat_class;
    bool calls_catch;       /* probes call its c too */
    bool hashes_content;    /* copies from jars and folders meet, so that no checksum will do */
    bool keeps_rules;       /* for --explain */
    bool interns_all_names; /* the next run will not read the class's content */
};

/* Classes are read in batches by all threads. An unreadable class becomes a warning. MB_BAD_USAGE:
 * the beat class is among the inputs, and lacks methods that probes call. */
MB_MUST_CHECK enum mb_status plan_collect(const struct plan_collect_request *request,
                                          struct mb_error *err);

#endif
