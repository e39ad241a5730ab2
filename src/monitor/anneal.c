#include "monitor/anneal.h"

#define LONGEST 3600u

static void restart_interval(struct mon_anneal *anneal)
{
    anneal->previous = 1;
    anneal->interval = 1;
}

enum mon_look_result mon_anneal_look(struct mon_anneal *anneal, uint64_t key, uint32_t frames)
{
    if (frames <= 1) {
        restart_interval(anneal);
        return MON_LOOK_MEANINGLESS;
    }
    if (!anneal->has_key || anneal->key != key) {
        restart_interval(anneal);
        anneal->has_key = true;
        anneal->key = key;
        return MON_LOOK_NEW;
    }
    uint32_t sum = anneal->previous + anneal->interval;
    anneal->previous = anneal->interval;
    anneal->interval = sum < LONGEST ? sum : LONGEST;
    return MON_LOOK_SAME;
}
