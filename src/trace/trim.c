#include "trace/trace.h"

#include "abi/names.h"

#include <string.h>

#define ROUNDS 60
#define ROUND_MS 5
#define NEVER (ROUNDS + 1)

/* The round that drops an item: the first whose limit is longer than its duration. */
static int round_of(int64_t duration, double limit_step)
{
    if ((double)duration >= ROUNDS * limit_step) {
        return NEVER;
    }
    return duration < 0 ? 1 : (int)((double)duration / limit_step) + 1;
}

size_t trace_trim(const struct trace_item *items, size_t count, double units_per_ms,
                  struct trace_item kept[TRACE_TRIMMED_MAX])
{
    const double limit_step = ROUND_MS * units_per_ms;
    size_t dropped_in[NEVER + 1] = {0};
    size_t excess = count > TRACE_TRIMMED_MAX ? count - TRACE_TRIMMED_MAX : 0;
    int round = 1;

    for (size_t i = 0; excess > 0 && i < count; i++) {
        dropped_in[round_of(items[i].duration, limit_step)]++;
    }
    /* Rounds before `round` drop all they can, and this one the rest, from the back. */
    while (round < NEVER && excess > dropped_in[round]) {
        excess -= dropped_in[round++];
    }
    size_t spared = excess > 0 ? dropped_in[round] - excess : 0;
    size_t kept_count = 0;
    for (size_t i = 0; i < count && kept_count < TRACE_TRIMMED_MAX; i++) {
        int last_round = excess > 0 ? round_of(items[i].duration, limit_step) : NEVER + 1;
        if (last_round == round && spared > 0) {
            spared--;
            last_round++;
        }
        if (last_round > round) {
            kept[kept_count++] = items[i];
        }
    }
    return kept_count;
}

/* ---- Calls of one method below one caller ---- */

/* Where the calls below a row end. */
static size_t end_of(const struct trace_item *rows, size_t count, size_t row)
{
    size_t end = row + 1;

    while (end < count && rows[end].depth > rows[row].depth) {
        end++;
    }
    return end;
}

static void add_item(struct trace_item *row, const struct trace_item *item)
{
    row->duration = trace_add(row->duration, item->duration);
    row->longest = item->longest > row->longest ? item->longest : row->longest;
    row->count += item->count;
    row->is_open |= item->is_open;
    row->is_inferred |= item->is_inferred;
}

size_t trace_fold(const struct trace_item *items, size_t count,
                  struct trace_item kept[TRACE_TRIMMED_MAX])
{
    size_t path[TRACE_TRIMMED_MAX]; /* rows of the calls around the item */
    size_t depth = 0;
    size_t kept_count = 0;

    for (size_t i = 0; i < count && i < TRACE_TRIMMED_MAX; i++) {
        while (depth > 0 && kept[path[depth - 1]].depth >= items[i].depth) {
            depth--;
        }
        size_t at = depth > 0 ? path[depth - 1] + 1 : 0;
        size_t end = depth > 0 ? end_of(kept, kept_count, path[depth - 1]) : kept_count;
        while (at < end && kept[at].id != items[i].id) {
            at = end_of(kept, kept_count, at);
        }
        if (at < end) {
            add_item(&kept[at], &items[i]);
        } else {
            memmove(&kept[at + 1], &kept[at], (kept_count++ - at) * sizeof(*kept));
            kept[at] = items[i];
        }
        path[depth++] = at;
    }
    return kept_count;
}

/* ---- The key ---- */

#define NOTHING SIZE_MAX

/* 30 % of the cost, cut. */
static int64_t limit_of(int64_t cost)
{
    return cost / 10 * 3 + cost % 10 * 3 / 10;
}

/* (depth + 1) x duration, which stops at the end of 64 bits. */
static int64_t weight_of(const struct trace_item *item)
{
    int64_t factor = (int64_t)item->depth + 1;

    return item->duration > INT64_MAX / factor ? INT64_MAX : factor * item->duration;
}

uint32_t trace_key(const struct trace_item *items, size_t count, int64_t cost)
{
    int64_t limit = limit_of(cost);
    size_t best = NOTHING; /* the first of the greatest */
    size_t second = NOTHING;

    for (size_t i = 0; i < count; i++) {
        if (items[i].duration < limit) {
            continue;
        }
        int64_t weight = weight_of(&items[i]);
        if (best == NOTHING || weight > weight_of(&items[best])) {
            second = best;
            best = i;
        } else if (second == NOTHING || weight > weight_of(&items[second])) {
            second = i;
        }
    }
    if (best == NOTHING) {
        return count > 0 ? items[0].id : TRACE_NO_KEY;
    }
    return items[best].id == ABI_MESSAGE_ID && second != NOTHING ? items[second].id
                                                                 : items[best].id;
}
