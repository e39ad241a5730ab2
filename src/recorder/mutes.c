#include "recorder/mutes.h"

#include "abi/names.h"
#include "base/clock.h"
#include "recorder/clock.h"

/* Where the recorder is compiled: what a call's probes take of its own time, what they take of the
 * program's, and what the drain takes that reads their records. */
#define PROBE_NS 20
#define PROBES_NS 50
#define DRAIN_NS 50

/* The budget is judged by at least so much. */
#define LEAST_WORDS 100000u
#define LEAST_CPU_NS INT64_C(200000000)

static void mute_method(const struct beat_judge *judge, struct prof_tree *tree, uint32_t id,
                        enum abi_profile_mute_reason reason)
{
    const struct prof_method *method = &tree->methods[id];
    struct abi_trace_section *section = judge->section;
    uint64_t count = atomic_load_explicit(&section->written, memory_order_relaxed);

    if (count >= judge->room || !beat_mute(id)) {
        atomic_fetch_add_explicit(&section->lost, 1, memory_order_relaxed);
        return;
    }
    uint64_t now = beat_clock_now(judge->header);
    prof_mute(tree, id, now);
    judge->rows[count] = (struct abi_profile_mute){
        .id = id,
        .reason = reason,
        .time = now,
        .calls = method->calls,
        .total = method->total,
    };
    /* Release: who sees the count finds the row. */
    atomic_store_explicit(&section->written, count + 1, memory_order_release);
}

void beat_mutes_keep(struct abi_trace_section *section, struct abi_profile_mute *rows)
{
    size_t count = 0;
    uint32_t id;

    while (beat_next_muted(&count, &id)) {
        rows[count - 1] = (struct abi_profile_mute){.id = id, .reason = ABI_MUTED_BEFORE};
    }
    atomic_store_explicit(&section->written, count, memory_order_release); /* as in mute_method */
}

void beat_mutes_take_over(const struct beat_judge *judge, struct prof_tree *tree)
{
    uint64_t count = atomic_load_explicit(&judge->section->written, memory_order_relaxed);

    for (uint64_t i = 0; i < count; i++) {
        tree->methods[judge->rows[i].id].muted_since = 1;
    }
}

static bool may_mute(const struct beat_judge *judge, const struct prof_method *method, uint32_t id)
{
    return id <= ABI_MAX_ID && method->muted_since == 0 &&
           (judge->never == NULL || judge->never[id] == 0);
}

/* What the probes of a call took Java when the recorder last looked, if that was not compiled code;
 * else 0. */
static double slow_probes_ns(const struct beat_judge *judge)
{
    const struct abi_trace_header *header = judge->header;
    bool is_slow = atomic_load_explicit(&header->quick_words, memory_order_relaxed) == 0;

    return is_slow ? 2.0 * atomic_load_explicit(&header->slow_record_ns, memory_order_relaxed) : 0;
}

static double call_cost_ns(const struct beat_judge *judge)
{
    double slow_ns = slow_probes_ns(judge);

    return DRAIN_NS + (slow_ns > PROBES_NS ? slow_ns : PROBES_NS);
}

static struct prof_judge make_judge(const struct beat_judge *judge)
{
    bool is_fine = judge->header->clock_kind == ABI_CLOCK_COUNTER;
    double slow_ns = slow_probes_ns(judge);
    uint64_t rate = atomic_load_explicit(&judge->header->ns_per_unit, memory_order_relaxed);

    return (struct prof_judge){
        .ns_per_unit = (double)abi_trace_ns(rate, MB_NS_PER_S) / MB_NS_PER_S,
        .probe_ns = !is_fine             ? 0
                    : slow_ns > PROBE_NS ? slow_ns
                                         : PROBE_NS,
        .cost_ns = call_cost_ns(judge),
        .run_units = beat_clock_now(judge->header),
    };
}

void beat_mutes_judge(const struct beat_judge *judge, struct prof_tree *tree)
{
    const struct prof_judge by = make_judge(judge);

    for (uint32_t i = 0; judge->is_on && i < tree->suspect_count; i++) {
        uint32_t id = tree->suspects[i];
        struct prof_method *method = &tree->methods[id];
        if (!may_mute(judge, method, id)) {
            continue;
        }
        prof_note_busy(tree, id);
        if (prof_is_cheap(method, &by)) {
            mute_method(judge, tree, id, ABI_MUTED_BY_THROTTLE);
        }
    }
    tree->suspect_count = 0;
}

/* ---- The budget ---- */

bool beat_mutes_ask_budget(const struct beat_judge *judge, const struct prof_tree *tree)
{
    return judge->budget_percent > 0 && judge->is_on &&
           tree->words - judge->budget_words >= LEAST_WORDS;
}

/* Calls above the budget, with those of methods that are muted by now left out. */
static double count_excess(const struct beat_judge *judge, const struct prof_tree *tree,
                           int64_t used_ns)
{
    double calls = (double)(tree->words - judge->budget_words) / 2;
    double allowed = (double)used_ns * judge->budget_percent / 100 / call_cost_ns(judge);

    for (uint32_t i = 0; i < tree->busy_count; i++) {
        const struct prof_busy *busy = &tree->busy[i];
        calls -= tree->methods[busy->id].muted_since != 0 ? (double)busy->calls : 0;
    }
    return calls - allowed;
}

static void mute_least_telling(const struct beat_judge *judge, struct prof_tree *tree,
                               double excess)
{
    const struct prof_judge by = make_judge(judge);

    prof_rank_busy(tree);
    for (uint32_t i = 0; i < tree->busy_count && excess > 0; i++) {
        const struct prof_busy *busy = &tree->busy[i];
        const struct prof_method *method = &tree->methods[busy->id];
        if (may_mute(judge, method, busy->id) && !busy->has_caught &&
            !prof_is_spared(method, &by)) {
            mute_method(judge, tree, busy->id, ABI_MUTED_BY_BUDGET);
            excess -= (double)busy->calls;
        }
    }
}

void beat_mutes_keep_budget(struct beat_judge *judge, struct prof_tree *tree, int64_t cpu_ns)
{
    int64_t used_ns = cpu_ns - judge->budget_cpu_ns;

    if (used_ns < LEAST_CPU_NS) {
        return;
    }
    double excess = count_excess(judge, tree, used_ns);
    if (excess > 0) {
        mute_least_telling(judge, tree, excess);
    }
    prof_clear_busy(tree);
    judge->budget_words = tree->words;
    judge->budget_cpu_ns = cpu_ns;
}
