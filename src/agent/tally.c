#include "agent/tally.h"

#include "base/check.h"
#include "recorder/sections.h"

#include <stdatomic.h>

static _Atomic uint64_t seen;

static MB_THREAD_LOCAL struct {
    bool is_open;
    uint64_t counts[ABI_WEAVING_COUNT];
} batch;

void agent_tally_add(enum abi_weaving what, uint64_t count)
{
    if (batch.is_open) {
        batch.counts[what] += count;
    } else if (count > 0) {
        beat_weaving_add(what, count);
    }
}

uint64_t agent_tally_seen(void)
{
    return atomic_load(&seen);
}

void agent_tally_class(const struct agent_outcome *outcome)
{
    (void)atomic_fetch_add(&seen, 1);
    if (outcome->status != MB_OK) {
        agent_tally_add(outcome->status == MB_NO_MEMORY ? ABI_WEAVING_MEMORY : ABI_WEAVING_DAMAGED,
                        1);
        return;
    }
    agent_tally_add(ABI_WEAVING_CLASSES, outcome->has_probes || outcome->has_own);
    agent_tally_add(ABI_WEAVING_CROWDED, outcome->is_crowded);
    agent_tally_add(ABI_WEAVING_IDS, outcome->lacks_ids);
    agent_tally_add(ABI_WEAVING_BOOT, outcome->is_boots);
    agent_tally_add(ABI_WEAVING_METHODS, outcome->left_out);
}

void agent_tally_begin_batch(void)
{
    batch.is_open = true;
}

void agent_tally_end_batch(bool is_taken)
{
    batch.is_open = false;
    for (size_t what = 0; what < ABI_WEAVING_COUNT; what++) {
        agent_tally_add((enum abi_weaving)what, is_taken ? batch.counts[what] : 0);
        batch.counts[what] = 0;
    }
}

bool agent_tally_is_in_batch(void)
{
    return batch.is_open;
}
