/* The summary of a finished run. */

#ifndef INSTRUMENT_SUMMARY_H
#define INSTRUMENT_SUMMARY_H

#include "instrument/instrument.h"
#include "instrument/plan/warnings.h"
#include "publish/publish.h"

/* Blacklist rules that matched nothing; entries that a later one of the same name replaced. */
MB_MUST_CHECK enum mb_status ins_warn_unused_rules(struct plan_warnings *warnings,
                                                   const struct rule_set *rules,
                                                   struct mb_error *err);
MB_MUST_CHECK enum mb_status ins_warn_duplicates(struct plan_warnings *warnings,
                                                 const struct plan_sources *sources,
                                                 struct mb_error *err);

/* Jars inside that stay as they are. */
MB_MUST_CHECK enum mb_status ins_warn_closed(struct plan_warnings *warnings,
                                             const struct plan_sources *sources,
                                             struct mb_error *err);

/* Warn if the inputs hold no class; path: their name in the message. */
MB_MUST_CHECK enum mb_status ins_warn_classless(struct plan_warnings *warnings,
                                                const struct plan_sources *sources,
                                                const char *path, struct mb_error *err);

/* Fill in the counts of the sources. */
void ins_count(struct ins_counts *counts, const struct plan_sources *sources);

/* Write the figures of --json. */
struct ins_report {
    const struct ins_counts *counts;
    const struct plan_sources *sources;
    const char *const *paths; /* of outputs, by source */
    const struct plan_warnings *warnings;
};

/* Write it to path. */
MB_MUST_CHECK enum mb_status ins_write_json(const struct ins_report *report,
                                            struct pub_outputs *publish, const char *path,
                                            struct mb_error *err);

#endif
