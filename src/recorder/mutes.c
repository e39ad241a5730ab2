#include "recorder/mutes.h"

#include "abi/names.h"
#include "recorder/clock.h"

#define PROBE_NS 20u /* of a call's time its own probes take */

static void mute(const struct beat_judge *judge, struct prof_method *method, uint32_t id)
{
    struct abi_trace_section *section = judge->section;
    uint64_t count = atomic_load_explicit(&section->written, memory_order_relaxed);

    if (count == section->capacity || !beat_mute(id)) {
        atomic_fetch_add_explicit(&section->lost, 1, memory_order_relaxed);
        return;
    }
    uint64_t now = beat_clock_now(judge->header);
    method->muted_since = now + 1;
    judge->rows[count] = (struct abi_profile_mute){
        .id = id,
        .reason = ABI_MUTED_BY_THROTTLE,
        .time = now,
        .calls = method->calls,
        .total = method->total,
    };
    /* Release: who sees the count finds the row. */
    atomic_store_explicit(&section->written, count + 1, memory_order_release);
}

static uint64_t units_of(const struct beat_judge *judge, uint64_t ns)
{
    uint64_t rate = atomic_load_explicit(&judge->header->ns_per_unit, memory_order_relaxed);

    return abi_trace_units(rate, ns);
}

static bool may_mute(const struct beat_judge *judge, const struct prof_method *method, uint32_t id)
{
    return id <= ABI_MAX_ID && method->muted_since == 0 &&
           (judge->never == NULL || judge->never[id] == 0);
}

void beat_mutes_judge(const struct beat_judge *judge, struct prof_tree *tree)
{
    const struct beat_throttle *throttle = &judge->throttle;
    bool is_fine = judge->header->clock_kind == ABI_CLOCK_COUNTER;
    uint64_t probe_units = is_fine ? units_of(judge, PROBE_NS) : 0;
    struct prof_limit limits[BEAT_MAX_LIMITS];

    for (uint32_t i = 0; i < throttle->limit_count; i++) {
        limits[i] = (struct prof_limit){throttle->limits[i].calls,
                                        units_of(judge, throttle->limits[i].mean_ns)};
    }
    for (uint32_t i = 0; i < tree->suspect_count; i++) {
        uint32_t id = tree->suspects[i];
        struct prof_method *method = &tree->methods[id];
        if (may_mute(judge, method, id) &&
            prof_is_cheap(method, limits, throttle->limit_count, probe_units)) {
            mute(judge, method, id);
        }
    }
    tree->suspect_count = 0;
}
