/* Inside src/trace: what samples say of the frames directly inside each recorded call. */

#ifndef TRACE_SAMPLED_H
#define TRACE_SAMPLED_H

#include "trace/samples.h"

/* From one time until another these frames were directly inside a call: between it and the next
 * recorded call, or the top. While that next call lasted they were the same. */
struct trace_seen {
    uint32_t next;     /* in the same call, from 1; 0: the last */
    uint32_t node;     /* innermost frame; ABI_STACK_NO_NODE if there are no frames */
    uint32_t count;    /* frames */
    uint32_t interval; /* of sampling */
    uint64_t from;
    uint64_t until;
};

static inline uint64_t trace_item_end(const struct trace_item *item)
{
    return item->start + (uint64_t)(item->duration > 0 ? item->duration : 0);
}

/* Fill mixer->seen with struct trace_seen, and mixer->heads with uint32_t [item], and one more for
 * what is in no recorded call: the first of each, from 1; 0: nothing was seen. */
MB_MUST_CHECK enum mb_status trace_match_samples(struct trace_mixer *mixer,
                                                 const struct trace_mix_source *source,
                                                 struct trace_mix_losses *losses,
                                                 struct mb_error *err);

#endif
