#include "recorder/mutes.h"

#include "abi/names.h"
#include "base/clock.h"
#include "recorder/clock.h"

/* Where the recorder is compiled: what a call's probes take of its own time, what they take of the
 * program's, and what the drain takes that reads their records. */
#define PROBE_NS 20
#define PROBES_NS 50
#define DRAIN_NS 50

/* Own time of a call that is worth its probes, unless the budget asks for more. */
#define LEAST_NS 300

#define LEAST_CPU_NS (50 * MB_NS_PER_MS)  /* the budget is judged by */
#define FIRST_CPU_NS (200 * MB_NS_PER_MS) /* of the program before any method is muted */

static void mute_method(const struct beat_judge *judge, struct prof_tree *tree, uint32_t id)
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
        .reason = ABI_MUTED_BY_THROTTLE,
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

static bool may_mute(const struct prof_method *method, uint32_t id)
{
    return id < ABI_FIRST_KIND_ID && method->muted_since == 0;
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
        .step_ns = is_fine ? 0 : (double)judge->header->resolution_ns,
        .probe_ns = !is_fine             ? 0
                    : slow_ns > PROBE_NS ? slow_ns
                                         : PROBE_NS,
        .cost_ns = call_cost_ns(judge),
        .least_ns = LEAST_NS + judge->more_ns,
        .run_units = beat_clock_now(judge->header),
    };
}

static void judge_suspects(struct beat_judge *judge, struct prof_tree *tree)
{
    const struct prof_judge by = make_judge(judge);

    for (uint32_t i = 0; i < tree->suspect_count; i++) {
        uint32_t id = tree->suspects[i];
        if (!may_mute(&tree->methods[id], id)) {
            continue;
        }
        enum prof_verdict verdict = prof_judge_method(&tree->methods[id], &by);
        if (verdict == PROF_CHEAP) {
            mute_method(judge, tree, id);
        }
        judge->wants_evidence |= verdict == PROF_UNSURE;
    }
}

/* While all probes together are over budget, a call has to tell half as much again each time; what
 * tells so much that its probes alone keep the budget is never muted. */
static void follow_budget(struct beat_judge *judge, const struct prof_tree *tree)
{
    int64_t cpu_ns = beat_clock_cpu_ns();
    double used_ns = (double)(cpu_ns - judge->cpu_ns);
    double cost_ns = (double)(tree->words - judge->words) / 2 * call_cost_ns(judge);

    if (used_ns < LEAST_CPU_NS || judge->budget_percent == 0) {
        return;
    }
    if (cost_ns <= used_ns * judge->budget_percent / 100) {
        judge->more_ns = 0;
    } else if (LEAST_NS + judge->more_ns < call_cost_ns(judge) * 100 / judge->budget_percent) {
        judge->more_ns += (LEAST_NS + judge->more_ns) / 2;
    }
    judge->words = tree->words;
    judge->cpu_ns = cpu_ns;
}

void beat_mutes_judge(struct beat_judge *judge, struct prof_tree *tree)
{
    judge->wants_evidence = false;
    judge->is_first = judge->is_first && beat_clock_cpu_ns() - judge->begin_cpu_ns < FIRST_CPU_NS;
    if (judge->is_on && !judge->is_first && tree->suspect_count > 0) {
        follow_budget(judge, tree);
        judge_suspects(judge, tree);
    }
    tree->suspect_count = 0;
}
