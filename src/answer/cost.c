#include "answer/cost.h"

#include "base/number.h"

#include <math.h>

#define MUCH_PERCENT 10
#define MOST_NS 9e18 /* of any time */

/* Measured on x86-64: a record of the native flavour with the counter, of the mapped flavour with
 * the coarse clock. That took 3 to 4 ns in compiled code, on any thread of OpenJDK 17 and 25
 * (tests/bench/recorder/pairs.py) and in H2, and 7 in Tomcat, as samples say; code that is
 * interpreted pays more. */
#define COUNTER_RECORD_NS 10
#define COARSE_RECORD_NS 4
#define MANY_CALLS 1000     /* for a mean that says something */
#define MOST_PROBE_NS 200.0 /* beyond, it is not probes that take the time */
/* The clock is read halfway through a probe, so a leaf sees half of its own two; what they cost on
 * average, elsewhere than in the cheapest leaf, is a quarter more. */
#define PROBES_PER_LEAF 2.5

static bool is_never_quick(const struct answer_clock *clock)
{
    return clock->slow_record_ns > 0 && clock->quick_words == 0;
}

uint64_t answer_record_ns(const struct answer_clock *clock)
{
    uint64_t usual = clock->is_coarse ? COARSE_RECORD_NS : COUNTER_RECORD_NS;

    return is_never_quick(clock) && clock->slow_record_ns > usual ? clock->slow_record_ns : usual;
}

/* Records before the recorder was compiled, if it was: that happened between two looks, each at
 * several times as many records as the one before. */
static double count_slow(const struct answer_clock *clock, double records)
{
    double count = clock->slow_record_ns > 0
                       ? sqrt((double)(clock->slow_words + 1) * (double)clock->quick_words)
                       : 0;

    return mb_min_f64(count, records);
}

/* All of its time is its own: it makes no calls that are recorded. */
static bool is_leaf(const struct trace_node *node)
{
    return node->own == node->total;
}

static double cheapest_mean(const struct answer_clock *clock, const struct answer_thread *thread,
                            double least)
{
    for (size_t i = 0; i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        double mean = (double)answer_ns(clock, node->own) / (double)(node->calls + 1);
        if (is_leaf(node) && node->calls >= MANY_CALLS && mean < least) {
            least = mean;
        }
    }
    return least;
}

double answer_probe_ns(const struct answer_clock *clock, const struct answer_threads *threads)
{
    double usual = 2.0 * (double)answer_record_ns(clock);
    double most = mb_max_f64(usual, MOST_PROBE_NS);
    double least = most;

    if (clock->is_coarse) {
        return usual;
    }
    for (size_t i = 0; i < threads->count; i++) {
        least = cheapest_mean(clock, &threads->rows[i], least);
    }
    return least < most ? mb_min_f64(mb_max_f64(PROBES_PER_LEAF * least, usual / 2.0), most)
                        : usual;
}

/* Time in calls with a processor, as far as it is known: on a busy machine the thread's CPU time
 * knows best. */
static int64_t worked_ns(const struct answer_threads *threads)
{
    int64_t sum_ns = 0;

    for (size_t i = 0; i < threads->count; i++) {
        const struct answer_time *time = &threads->rows[i].time;
        int64_t ns = trace_subtract(trace_subtract(time->busy_ns, time->waited_ns), time->ready_ns);
        sum_ns = trace_add(sum_ns, time->has_cpu && time->cpu_ns < ns ? time->cpu_ns : ns);
    }
    return sum_ns;
}

/* is_all: also of what the rings have lost; else it is never more than the time in calls. */
static int64_t cost_of(const struct answer_clock *clock, const struct answer_threads *threads,
                       bool is_all)
{
    const struct answer_sums sums = answer_sum(threads);
    double records = (double)(sums.losses.read.words + sums.losses.unseen_words +
                              (is_all ? sums.losses.lapped_words : 0));
    double slow = count_slow(clock, records);
    double ns = slow * (double)clock->slow_record_ns +
                (records - slow) * answer_probe_ns(clock, threads) / 2;
    bool is_within = !is_all || sums.losses.lapped_words == 0;
    int64_t all_ns = is_within ? worked_ns(threads) : 0;

    return all_ns > 0 && ns > (double)all_ns ? all_ns : (int64_t)mb_min_f64(ns, MOST_NS);
}

int64_t answer_overhead_ns(const struct answer_clock *clock, const struct answer_threads *threads)
{
    return cost_of(clock, threads, true);
}

int64_t answer_shown_overhead_ns(const struct answer_clock *clock,
                                 const struct answer_threads *threads)
{
    return cost_of(clock, threads, false);
}

/* ---- As a share ---- */

bool answer_costs_much(const struct answer_clock *clock, const struct answer_threads *threads)
{
    int64_t all_ns = worked_ns(threads);

    return all_ns > 0 && answer_shown_overhead_ns(clock, threads) > all_ns / 100 * MUCH_PERCENT;
}

void answer_find_overhead(struct answer_findings *findings, const struct answer_clock *clock,
                          const struct answer_threads *threads)
{
    double probe_ns = answer_probe_ns(clock, threads);
    uint64_t record_ns = answer_record_ns(clock);
    bool is_usual = (uint64_t)(probe_ns + 0.5) == 2 * record_ns;
    int64_t all_ns = worked_ns(threads);
    double share =
        all_ns > 0 ? (double)answer_shown_overhead_ns(clock, threads) * 100 / (double)all_ns : 0;

    ANSWER_FIND(findings, OVERHEAD, ANSWER_NS("overhead", answer_overhead_ns(clock, threads)),
                ANSWER_PERCENT("share", share), ANSWER_NS(is_usual ? NULL : "call", probe_ns + 0.5),
                ANSWER_NS("record", record_ns), ANSWER_COUNT("least", ANSWER_CODE_LEAST_PERCENT),
                ANSWER_WHOLE_PERCENT("most", ANSWER_CODE_MOST_PERCENT));
}
