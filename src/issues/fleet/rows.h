/* What the monitors wrote, as rows: an issue is a row of issues, the sums of a session are one of
 * sessions. Names are given for ids, and those of before R8. */

#ifndef ISSUES_FLEET_ROWS_H
#define ISSUES_FLEET_ROWS_H

#include "answer/facts.h"
#include "issues/collection.h"
#include "issues/fleet/columns.h"
#include "issues/fleet/writer.h"
#include "issues/names.h"
#include "rules/builds.h"

/* The first four are borrowed, and set before the first object. */
struct fleet_rows {
    struct fleet_writer *writer;
    struct issues_names *names;
    struct rule_builds *mapping; /* open; NULL: names are not obfuscated */
    int64_t latest_ms;           /* later times are refused */
    uint64_t refused[FLEET_REFUSAL_COUNT];
    struct mb_buf frames; /* scratch, as the next three */
    struct mb_buf scratch;
    struct mb_text r8; /* that of the issue */
    struct rule_outline outline;
};

/* Begin a collection that makes rows of its objects, of packed files, too. False without memory. */
bool fleet_rows_collect(struct fleet_rows *rows, struct issues_collection *all);

/* A JSON object, whatever it is, as a collection gives it: context is the rows. */
enum issues_verdict fleet_take_object(void *context, const struct mb_value *object);

void fleet_rows_finish(struct fleet_rows *rows);

/* A trace as rows: a profile, its chains of callers summed over its threads, and their methods. */

/* What a row of it needs of the facts; all borrowed. */
struct fleet_traced {
    const struct answer_process *process;
    const struct answer_clock *clock;
    const struct answer_threads *threads;
    const struct answer_methods *methods;
    const struct answer_requests *requests;
    uint64_t absorbed_calls; /* answer_recording */
};

/* Fails without memory; what the sink says stays with the writer. */
MB_MUST_CHECK enum mb_status fleet_put_profile(struct fleet_writer *writer,
                                               const struct fleet_traced *traced,
                                               struct mb_error *err);

#endif
