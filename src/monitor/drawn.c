#include "monitor/drawn.h"

#include "base/clock.h"

#define SOON_NS INT64_C(250000000)

static void add_stages(struct mon_drawn *drawn, const struct mon_frame *frame)
{
    const int64_t values[] = {
#define MON_STAGE(NAME, field, key) [MON_STAGE_##NAME] = frame->field,
        MON_STAGES(MON_STAGE)
#undef MON_STAGE
    };
    bool is_lacking = frame->deadline_ns == MON_STAGE_ODD;

    for (size_t i = 0; i < MON_STAGE_COUNT; i++) {
        is_lacking |= values[i] == MON_STAGE_ODD;
        drawn->cut += values[i] == MON_STAGE_CUT;
        if (values[i] > 0) {
            drawn->stages_ns[i] += values[i];
            drawn->stages[i]++;
        }
    }
    drawn->lacking += is_lacking;
}

void mon_drawn_add(struct mon_drawn *drawn, const struct mon_paced *paced,
                   const struct mon_options *options)
{
    const struct mon_frame *frame = &paced->frame;
    enum mon_level level = mon_level_of(options, paced);

    if (drawn->frames == 0) {
        drawn->begin_ns = frame->intended_ns;
    }
    drawn->end_ns = frame->intended_ns + frame->total_ns;
    drawn->frames++;
    drawn->janky += paced->is_janky;
    drawn->lost += frame->lost;
    drawn->time_ns += paced->time_ns;
    drawn->late_ns += paced->late_ns;
    drawn->interval_ns += paced->interval_ns;
    drawn->longest_ns = paced->time_ns > drawn->longest_ns ? paced->time_ns : drawn->longest_ns;
    if (paced->gap_ns > 0 && paced->gap_ns <= SOON_NS) {
        drawn->gaps++;
        drawn->gaps_ns += paced->gap_ns;
    }
    drawn->levels[level]++;
    drawn->dropped[level] += paced->dropped;
    add_stages(drawn, frame);
}

/* Hundredths a second. */
static int64_t rate_of(uint32_t count, int64_t over_ns)
{
    return over_ns > 0 ? ((int64_t)count * 100 * MB_NS_PER_S + over_ns / 2) / over_ns : 0;
}

int64_t mon_drawn_fps(const struct mon_drawn *drawn)
{
    return rate_of(drawn->frames, drawn->time_ns);
}

int64_t mon_drawn_rate(const struct mon_drawn *drawn)
{
    return rate_of(drawn->gaps, drawn->gaps_ns);
}

int64_t mon_drawn_refresh(const struct mon_drawn *drawn)
{
    return rate_of(drawn->frames, drawn->interval_ns);
}

int64_t mon_drawn_hitch_us(const struct mon_drawn *drawn)
{
    int64_t ms = drawn->time_ns / MB_NS_PER_MS;

    return ms > 0 ? drawn->late_ns / ms : 0; /* ns of each ms are us of each second */
}

bool mon_drawn_is_bad(const struct mon_drawn *drawn, const struct mon_options *options)
{
    return mon_drawn_hitch_us(drawn) >= options->fps_hitch_ms * 1000 ||
           drawn->levels[MON_LEVEL_HIGH] > 0 || drawn->levels[MON_LEVEL_FROZEN] > 0;
}

int64_t mon_drawn_stage_ns(const struct mon_drawn *drawn, enum mon_stage stage)
{
    return drawn->stages[stage] > 0 ? drawn->stages_ns[stage] / drawn->stages[stage] : 0;
}
