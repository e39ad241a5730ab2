/* A trace as rows: a profile, its chains of callers summed over its threads, and their methods. */

#ifndef FLEET_PROFILE_H
#define FLEET_PROFILE_H

#include "answer/facts.h"
#include "fleet/writer.h"

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
