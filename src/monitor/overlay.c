#include "monitor/overlay.h"

#include "base/clock.h"

#include <string.h>

static uint32_t per_second(int64_t count, int64_t over_ns)
{
    return over_ns > 0 ? (uint32_t)((count * MB_NS_PER_S + over_ns / 2) / over_ns) : 0;
}

static void add_paced(struct mon_overlay *overlay, const struct mon_paced *paced,
                      const struct mon_options *options)
{
    enum mon_level level = mon_level_of(options, paced);

    overlay->levels[level]++;
    overlay->level = level > overlay->level ? level : overlay->level;
    overlay->time_ns += paced->time_ns;
    overlay->frames++;
    if (overlay->time_ns < MON_BAR_NS) {
        return;
    }
    overlay->bars[overlay->bar_count++ % MON_BAR_COUNT] =
        (struct mon_bar){per_second(overlay->frames, overlay->time_ns), overlay->level};
    overlay->time_ns = 0;
    overlay->frames = 0;
    overlay->level = MON_LEVEL_BEST;
}

void mon_overlay_add(struct mon_overlay *overlay, const struct mon_frame *frame,
                     const struct mon_options *options)
{
    struct mon_frame clear = *frame;
    struct mon_paced paced;
    bool is_left_out;

    if (!mon_frame_clear(&clear)) {
        return;
    }
    overlay->interval_ns = mon_frame_interval_ns(&clear);
    overlay->newest_ns = clear.intended_ns + clear.total_ns;
    if (mon_pace_add(&overlay->pace, &clear, NULL, &paced, &is_left_out)) {
        add_paced(overlay, &paced, options);
    }
}

void mon_overlay_next_scene(struct mon_overlay *overlay)
{
    memset(overlay->levels, 0, sizeof(overlay->levels));
}

static void put_shares(const struct mon_overlay *overlay, struct mon_overlay_view *view)
{
    static const uint32_t weights[MON_LEVEL_COUNT] = {0, 1, 14, 25, 60};
    uint64_t frames = 0;
    uint64_t score = 0;

    for (size_t i = 0; i < MON_LEVEL_COUNT; i++) {
        frames += overlay->levels[i];
        score += (uint64_t)overlay->levels[i] * weights[i];
    }
    if (frames == 0) {
        return;
    }
    for (size_t i = 0; i < MON_LEVEL_COUNT; i++) {
        view->shares[i] = (uint32_t)((overlay->levels[i] * UINT64_C(100) + frames / 2) / frames);
    }
    view->score = (uint32_t)((score + frames / 2) / frames);
}

void mon_overlay_show(const struct mon_overlay *overlay, int64_t now_ns,
                      struct mon_overlay_view *view)
{
    int64_t interval = overlay->interval_ns > 0 ? overlay->interval_ns : MON_USUAL_INTERVAL_NS;

    *view = (struct mon_overlay_view){.refresh = per_second(1, interval)};
    view->is_at_rest = overlay->bar_count == 0 || now_ns - overlay->newest_ns >= MON_REST_NS;
    view->fps = view->refresh;
    view->bar_count = overlay->bar_count < MON_BAR_COUNT ? overlay->bar_count : MON_BAR_COUNT;
    for (uint32_t i = 0; i < view->bar_count; i++) {
        uint32_t number = overlay->bar_count - view->bar_count + i;
        view->bars[i] = overlay->bars[number % MON_BAR_COUNT];
    }
    if (!view->is_at_rest) {
        view->fps = view->bars[view->bar_count - 1].fps;
        view->level = view->bars[view->bar_count - 1].level;
    }
    put_shares(overlay, view);
}
