#include "trace/trace.h"

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
