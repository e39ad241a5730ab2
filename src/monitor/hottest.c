#include "monitor/hottest.h"

#include <string.h>

void mon_samples_add(struct mon_samples *samples, int64_t at_ns, const struct mon_frames *frames,
                     uint32_t top)
{
    samples->samples[samples->count++ % MON_SAMPLE_COUNT] =
        (struct mon_sample){.at_ns = at_ns, .top = top, .frames = *frames};
}

static uint32_t kept_count(const struct mon_samples *samples)
{
    return samples->count < MON_SAMPLE_COUNT ? samples->count : MON_SAMPLE_COUNT;
}

/* The index-th of those that are kept, the oldest first. */
static const struct mon_sample *sample_at(const struct mon_samples *samples, uint32_t index)
{
    uint32_t first = samples->count - kept_count(samples);

    return &samples->samples[(first + index) % MON_SAMPLE_COUNT];
}

struct weights {
    uint32_t count;
    int64_t of_sample[MON_SAMPLE_COUNT];
};

static void weigh_samples(const struct mon_samples *samples, int64_t end_ns,
                          const struct mon_gaps *gaps, struct weights *weights)
{
    weights->count = kept_count(samples);
    for (uint32_t i = 0; i < weights->count; i++) {
        int64_t next = i + 1 < weights->count ? sample_at(samples, i + 1)->at_ns : end_ns;
        weights->of_sample[i] = mon_watched(gaps, sample_at(samples, i)->at_ns, next);
    }
}

/* Of the samples up to index with the same top as that one. */
static int64_t weight_up_to(const struct mon_samples *samples, const struct weights *weights,
                            uint32_t index)
{
    uint32_t top = sample_at(samples, index)->top;
    int64_t sum = 0;

    for (uint32_t i = index + 1; i-- > 0;) {
        if (sample_at(samples, i)->top == top) {
            sum += weights->of_sample[i];
        }
    }
    return sum;
}

static bool has_frame(const struct mon_frames *frames, uint32_t name)
{
    for (uint32_t i = 0; i < frames->count; i++) {
        if (frames->names[i] == name) {
            return true;
        }
    }
    return false;
}

static void count_repeats(const struct mon_samples *samples, struct mon_hottest *hottest)
{
    for (uint32_t f = 0; f < hottest->frames->count; f++) {
        for (uint32_t i = 0; i < hottest->samples; i++) {
            hottest->repeats[f] +=
                has_frame(&sample_at(samples, i)->frames, hottest->frames->names[f]);
        }
    }
}

void mon_find_hottest(const struct mon_samples *samples, int64_t end_ns,
                      const struct mon_gaps *gaps, struct mon_hottest *hottest)
{
    struct weights weights;

    memset(hottest, 0, sizeof(*hottest));
    weigh_samples(samples, end_ns, gaps, &weights);
    hottest->samples = weights.count;
    for (uint32_t i = 0; i < weights.count; i++) {
        int64_t weight = weight_up_to(samples, &weights, i);
        hottest->of_ns += weights.of_sample[i];
        if (hottest->frames == NULL || weight >= hottest->weight_ns) {
            hottest->weight_ns = weight;
            hottest->frames = &sample_at(samples, i)->frames;
        }
    }
    if (hottest->frames != NULL) {
        count_repeats(samples, hottest);
    }
}
