#include "abi/names.h"
#include "trace/trace.h"

#define NOTHING SIZE_MAX

int64_t trace_cost(const struct trace_item *items, size_t count)
{
    int64_t cost = 0;

    for (size_t i = 0; i < count; i++) {
        cost = items[i].duration > cost ? items[i].duration : cost;
    }
    return cost;
}

/* 30 % of the cost, cut. Upstream rounds the cost and the product to single precision. */
static int64_t limit_of(int64_t cost, bool upstream)
{
    if (!upstream) {
        return cost / 10 * 3 + cost % 10 * 3 / 10;
    }
    volatile float single = (float)cost;
    volatile float product = single * 0.3f;
    return (int64_t)product;
}

/* (depth + 1) x duration; upstream's product wraps at 32 bits, ours stops at the end of 64. */
static int64_t weight_of(const struct trace_item *item, bool upstream)
{
    int64_t factor = (int64_t)item->depth + 1;

    if (upstream) {
        return (int32_t)(uint32_t)((uint64_t)factor * (uint64_t)item->duration);
    }
    return item->duration > INT64_MAX / factor ? INT64_MAX : factor * item->duration;
}

uint32_t trace_key(const struct trace_item *items, size_t count, int64_t cost, bool upstream)
{
    int64_t limit = limit_of(cost, upstream);
    size_t best = NOTHING; /* the first of the greatest */
    size_t second = NOTHING;

    for (size_t i = 0; i < count; i++) {
        if (items[i].duration < limit) {
            continue;
        }
        int64_t weight = weight_of(&items[i], upstream);
        if (best == NOTHING || weight > weight_of(&items[best], upstream)) {
            second = best;
            best = i;
        } else if (second == NOTHING || weight > weight_of(&items[second], upstream)) {
            second = i;
        }
    }
    if (best == NOTHING) {
        return count > 0 ? items[0].id : TRACE_NO_KEY;
    }
    return items[best].id == ABI_MESSAGE_ID && second != NOTHING ? items[second].id
                                                                 : items[best].id;
}
