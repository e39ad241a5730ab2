#include "recorder/drain.h"

#include "base/clock.h"
#include "base/number.h"

#define USAGE_EVERY_NS (10 * MB_NS_PER_MS)
#define STILL_USAGE_NS (100 * MB_NS_PER_MS) /* of a thread that neither calls nor works */
#define ASKING_SHARE 100                    /* of a core's time, at most */
#define SHARE_NS (20 * MB_NS_PER_MS)
#define SHORTEST_NS (MB_NS_PER_MS / 2)
#define LONGEST_NS (20 * MB_NS_PER_MS)
#define IDLE_NS (100 * MB_NS_PER_MS)
#define IDLE_ROUNDS 10u

void beat_pacing_init(struct beat_pacing *pacing)
{
    pacing->interval_ns = SHORTEST_NS;
    pacing->usage_every_ns = USAGE_EVERY_NS;
    pacing->idle_rounds = 0;
}

void beat_pacing_begin_round(struct beat_pacing *pacing)
{
    pacing->drained_words = 0;
    pacing->lost_words = 0;
    pacing->fullest = 0;
    pacing->rings = 0;
    pacing->asking_ns = 0;
}

void beat_pacing_note_words(struct beat_pacing *pacing, uint64_t words, uint64_t capacity)
{
    double part = (double)words / (double)capacity;

    pacing->rings++;
    pacing->fullest = part > pacing->fullest ? part : pacing->fullest;
}

bool beat_pacing_usage_is_due(const struct beat_pacing *pacing, bool is_still, int64_t asked_ns,
                              int64_t now_ns)
{
    return now_ns - asked_ns >= (is_still ? STILL_USAGE_NS : pacing->usage_every_ns);
}

bool beat_pacing_share_is_due(uint64_t resolution_ns, int64_t shared_ns, int64_t now_ns)
{
    return now_ns - shared_ns >= mb_max_i64(2 * (int64_t)resolution_ns, SHARE_NS);
}

/* So that no ring fills by more than a third until then, if the program goes on as in this round. A
 * program that makes no calls is looked at less and less, down to ten times a second but no
 * further: nothing announces its first call after a rest, and without asking in between, waiting
 * before that call could not be told from work after it. Without a profile, as on Android by
 * default, no round wakes a thread. */
static int64_t choose_interval(const struct beat_pacing *pacing, int64_t waited_ns)
{
    int64_t doubled = pacing->interval_ns * 2;

    if (pacing->idle_rounds > IDLE_ROUNDS) {
        return mb_max_i64(mb_min_i64(doubled, IDLE_NS), LONGEST_NS);
    }
    double filled = pacing->fullest * 3 * (pacing->lost_words > 0 ? 2 : 1);
    double wanted = filled > 0 ? (double)waited_ns / filled : (double)LONGEST_NS;
    int64_t most = mb_min_i64(doubled, LONGEST_NS);

    return mb_max_i64(wanted > (double)most ? most : (int64_t)wanted, SHORTEST_NS);
}

void beat_pacing_end_round(struct beat_pacing *pacing, int64_t now_ns)
{
    pacing->usage_every_ns = mb_max_i64(pacing->asking_ns * ASKING_SHARE, USAGE_EVERY_NS);
    pacing->idle_rounds = pacing->drained_words == 0 ? pacing->idle_rounds + 1 : 0;
    pacing->interval_ns = choose_interval(pacing, now_ns - pacing->begin_ns);
    pacing->begin_ns = now_ns;
}
