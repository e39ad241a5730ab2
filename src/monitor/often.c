#include "monitor/stall.h"

#include "base/clock.h"

static void store_stall(struct mon_often_row *row, uint32_t place,
                        const struct mon_often_stall *stall)
{
    row->ends[place] = stall->end_ns;
    row->lengths[place] = stall->length_ns;
    row->keys[place] = stall->frames != NULL ? stall->key : 0;
    if (stall->frames != NULL) {
        row->frames[place] = *stall->frames;
    }
}

/* All of the last stalls ended within the window; they may arrive out of order. */
static bool is_within(const struct mon_often_row *row, uint32_t count, int64_t window_ns)
{
    int64_t first = row->ends[0];
    int64_t last = row->ends[0];

    for (uint32_t i = 1; i < count; i++) {
        first = row->ends[i] < first ? row->ends[i] : first;
        last = row->ends[i] > last ? row->ends[i] : last;
    }
    return last - first <= window_ns;
}

static bool is_reached(struct mon_often_row *row, const struct mon_limit *limit,
                       const struct mon_often_stall *stall, int64_t window_ns)
{
    if (stall->length_ns < limit->ms * MB_NS_PER_MS || (limit->count == 1 && stall->is_told)) {
        return false;
    }
    store_stall(row, row->count++ % limit->count, stall);
    if (row->count < limit->count || !is_within(row, limit->count, window_ns)) {
        return false;
    }
    row->count = 0;
    return true;
}

uint32_t mon_often_add(struct mon_often *often, const struct mon_often_stall *stall,
                       const struct mon_options *options)
{
    uint32_t reached = 0;

    for (uint32_t i = 0; i < options->often.count; i++) {
        if (is_reached(&often->rows[i], &options->often.limits[i], stall,
                       options->often_window_ms * MB_NS_PER_MS)) {
            reached |= 1u << i;
        }
    }
    return reached;
}

static uint32_t count_key(const struct mon_often_row *row, uint32_t count, uint64_t key)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++) {
        found += row->keys[i] == key;
    }
    return found;
}

const struct mon_frames *mon_often_stack(const struct mon_often *often, uint32_t limit,
                                         const struct mon_options *options)
{
    const struct mon_often_row *row = &often->rows[limit];
    uint32_t count = options->often.limits[limit].count;
    const struct mon_frames *best = NULL;
    uint32_t best_count = 0;
    int64_t best_end = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t found = row->keys[i] != 0 ? count_key(row, count, row->keys[i]) : 0;
        if (found > 0 &&
            (found > best_count || (found == best_count && row->ends[i] >= best_end))) {
            best = &row->frames[i];
            best_count = found;
            best_end = row->ends[i];
        }
    }
    return best;
}

void mon_often_times(const struct mon_often *often, uint32_t limit,
                     const struct mon_options *options, int64_t *begin_ns, int64_t *total_ns)
{
    const struct mon_often_row *row = &often->rows[limit];

    *begin_ns = INT64_MAX;
    *total_ns = 0;
    for (uint32_t i = 0; i < options->often.limits[limit].count; i++) {
        int64_t begin = row->ends[i] - row->lengths[i];
        *begin_ns = begin < *begin_ns ? begin : *begin_ns;
        *total_ns += row->lengths[i];
    }
}
