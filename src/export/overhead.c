#include "export/export.h"

/* Measured on x86-64: a record of the native flavour with the counter, of the mapped flavour with
 * the coarse clock. */
#define COUNTER_RECORD_NS 10
#define COARSE_RECORD_NS 1
#define MANY_CALLS 1000     /* for a mean that says something */
#define MOST_PROBE_NS 200.0 /* beyond, it is not probes that take the time */
/* The clock is read halfway through a probe, so a leaf sees half of its own two; what they cost on
 * average, elsewhere than in the cheapest leaf, is a quarter more. */
#define PROBES_PER_LEAF 2.5

uint64_t export_record_ns(const struct export_report *report)
{
    return report->is_coarse_clock ? COARSE_RECORD_NS : COUNTER_RECORD_NS;
}

static double units_to_ns(const struct export_report *report, int64_t units)
{
    return (double)units *
           ((double)(report->ns_per_unit >> 32) / (double)(report->ns_per_unit & UINT32_MAX));
}

/* All of its time is its own: it makes no calls that are recorded. */
static bool is_leaf(const struct trace_node *node)
{
    return node->own == node->total;
}

static double cheapest_mean(const struct export_report *report, const struct export_thread *thread,
                            double least)
{
    for (size_t i = 0; i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        double mean = units_to_ns(report, node->own) / (double)(node->calls + 1);
        if (is_leaf(node) && node->calls >= MANY_CALLS && mean < least) {
            least = mean;
        }
    }
    return least;
}

static double limit(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

double export_probe_ns(const struct export_report *report)
{
    double usual = 2.0 * (double)export_record_ns(report);
    double least = MOST_PROBE_NS;

    if (report->is_coarse_clock) {
        return usual;
    }
    for (size_t i = 0; i < report->thread_count; i++) {
        least = cheapest_mean(report, &report->threads[i], least);
    }
    return least < MOST_PROBE_NS ? limit(PROBES_PER_LEAF * least, usual / 2.0, MOST_PROBE_NS)
                                 : usual;
}

static int64_t cost_of(const struct export_report *report, uint64_t records)
{
    double ns = (double)records * export_probe_ns(report) / 2;

    return ns < (double)INT64_MAX ? (int64_t)ns : INT64_MAX;
}

int64_t export_overhead_ns(const struct export_report *report)
{
    struct export_sums sums = export_sum(report);

    return cost_of(report,
                   sums.words + sums.lapped_words + sums.unseen_words + 2 * sums.dropped_calls);
}

int64_t export_shown_overhead_ns(const struct export_report *report)
{
    struct export_sums sums = export_sum(report);

    return cost_of(report, sums.words + sums.unseen_words);
}
