#include "profile/tree.h"

/* A method is spared if it contains 1/GREAT_SHARE of the run, and its probes cost at most
 * 1/SMALL_COST_SHARE of it. */
#define GREAT_SHARE 20
#define SMALL_COST_SHARE 200

/* A method that contains much of the run while its probes cost little. */
static bool is_spared(const struct prof_method *method, const struct prof_judge *judge)
{
    double run_ns = (double)judge->run_units * judge->ns_per_unit;

    return (double)method->total * judge->ns_per_unit >= run_ns / GREAT_SHARE &&
           (double)method->calls * judge->cost_ns < run_ns / SMALL_COST_SHARE;
}

/* Time inside other recorded calls is told without the method, so its own is what counts: own times
 * add up to the run, and where probes are a small part of each they are one of the whole. When
 * callees fall silent their time is their callers' own, which are then worth their probes. Averages
 * are in ns, since a unit may be longer than a call. */
bool prof_is_cheap(struct prof_method *method, const struct prof_judge *judge)
{
    uint64_t calls = method->calls - method->checked_calls;
    double own_ns = (double)(method->own - method->checked_own) * judge->ns_per_unit;
    bool is_cheap = own_ns < (double)calls * (judge->probe_ns + judge->least_ns);
    bool has_caught = method->has_caught;

    method->checked_calls = method->calls;
    method->checked_own = method->own;
    method->has_caught = false;
    return is_cheap && !has_caught && !is_spared(method, judge);
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
