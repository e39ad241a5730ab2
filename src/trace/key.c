#include "abi/names.h"
#include "trace/trace.h"

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
