#include "recorder/profile/tree.h"

/* A method is spared if it contains 1/GREAT_SHARE of the run, and its probes cost at most
 * 1/SMALL_COST_SHARE of it. */
#define GREAT_SHARE 20
#define SMALL_COST_SHARE 200
#define LEAST_REQUEST_NS 100000 /* beside which probes are nothing; shorter ones are not told */

/* Exact calls that a verdict takes; and how many are enough for one near the limit. */
#define LEAST_EVIDENCE 40
#define MOST_EVIDENCE 256

/* A method that contains much of the run while its probes cost little; or requests, whose lengths
 * are told, where probes are nothing beside one. */
static bool is_spared(const struct prof_method *method, const struct prof_judge *judge)
{
    double run_ns = (double)judge->run_units * judge->ns_per_unit;
    double total_ns = (double)method->total * judge->ns_per_unit;
    double costs_ns = (double)method->calls * judge->cost_ns;

    return (total_ns >= run_ns / GREAT_SHARE && costs_ns < run_ns / SMALL_COST_SHARE) ||
           (method->kind != 0 && total_ns >= (double)method->calls * LEAST_REQUEST_NS);
}

#define SIGMAS 3

/* What a call of the method did itself; with the variance of that mean, in ns squared. */
struct estimate {
    double mean_ns;
    double variance;
};

static struct estimate by_exact_calls(const struct prof_method *method,
                                      const struct prof_judge *judge)
{
    double count = method->exact_calls > 0 ? method->exact_calls : 1;
    double mean = (double)method->exact_own / count;
    double of_calls = (double)method->exact_squares / count - mean * mean;

    return (struct estimate){
        .mean_ns = mean * judge->ns_per_unit,
        .variance = of_calls / count * judge->ns_per_unit * judge->ns_per_unit,
    };
}

/* Each step of the coarse clock that falls into a call is a sample of all. */
static struct estimate by_all_calls(const struct prof_method *method,
                                    const struct prof_judge *judge)
{
    uint64_t calls = method->calls - method->checked_calls;
    double count = (double)(calls > 0 ? calls : 1);
    double own_ns = (double)(method->own - method->checked_own) * judge->ns_per_unit;

    return (struct estimate){
        .mean_ns = own_ns / count,
        .variance = (own_ns + judge->step_ns) * judge->step_ns / (count * count),
    };
}

static bool is_sure(const struct estimate *own, double limit_ns)
{
    double distance = (own->mean_ns - limit_ns) / SIGMAS;

    return distance * distance >= own->variance;
}

static void begin_evidence(struct prof_method *method)
{
    method->exact_calls = 0;
    method->exact_own = 0;
    method->exact_squares = 0;
    method->checked_calls = method->calls;
    method->checked_own = method->own;
    method->has_caught = false;
}

/* Time inside other recorded calls is told without the method, so its own is what counts: own times
 * add up to the run, and where probes are a small part of each they are one of the whole. When
 * callees fall silent their time is their callers' own, which are then worth their probes. Averages
 * are in ns, since a unit may be longer than a call. Exact calls may miss the few that take long:
 * the mean of all calls has to be low as well. */
enum prof_verdict prof_judge_method(struct prof_method *method, const struct prof_judge *judge)
{
    double limit_ns = judge->probe_ns + judge->least_ns;
    const struct estimate all = by_all_calls(method, judge);
    const struct estimate exact = by_exact_calls(method, judge);
    bool is_exact = method->exact_calls >= MOST_EVIDENCE ||
                    (method->exact_calls >= LEAST_EVIDENCE && is_sure(&exact, limit_ns));
    bool is_cheap = all.mean_ns < limit_ns && (!is_exact || exact.mean_ns < limit_ns);

    if (!is_exact && !is_sure(&all, limit_ns)) {
        return PROF_UNSURE;
    }
    if (is_cheap && !method->has_caught && !is_spared(method, judge)) {
        return PROF_CHEAP;
    }
    if (method->calls >= 2 * method->checked_calls) {
        begin_evidence(method);
    }
    return PROF_WORTH;
}

static uint64_t time_inside(const struct abi_profile_node *node, uint64_t now)
{
    uint64_t since = prof_get(&node->open_since);

    return prof_get(&node->total) + (since > 0 && now > since - 1 ? now - (since - 1) : 0);
}

void prof_mute(struct prof_tree *tree, uint32_t id, uint64_t now)
{
    struct prof_method *method = &tree->methods[id];

    method->muted_since = now + 1;
    for (uint32_t next = method->newest_node; next > 0; next = tree->older[next - 1]) {
        struct abi_profile_node *node = &tree->nodes[next - 1];
        if (node->parent != ABI_PROFILE_NO_NODE) {
            prof_set(&node->caller_time, time_inside(&tree->nodes[node->parent], now));
        }
    }
}
