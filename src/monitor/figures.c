#include "monitor/figures.h"

#include "monitor/drawn.h"
#include "monitor/members.h"
#include "monitor/start.h"

static const struct mon_drawn *drawn_of(const struct mon_issue *issue)
{
    static const struct mon_drawn none = {.frames = 0};

    return issue->drawn != NULL ? issue->drawn : &none;
}

static const struct mon_starting *starting_of(const struct mon_issue *issue)
{
    static const struct mon_starting none = {.kind = MON_START_COLD};

    return issue->starting != NULL ? issue->starting : &none;
}

/* Hundredths, as a number. */
static void put_hundredths(struct mb_json *json, const char *key, int64_t hundredths)
{
    mb_json_key(json, key);
    mb_buf_printf(json->out, "%" PRId64 ".%02" PRId64, hundredths / 100, hundredths % 100);
}

/* ---- Frames ---- */

static const char *const level_keys[MON_LEVEL_COUNT] = {
    [MON_LEVEL_BEST] = "DROPPED_BEST",     [MON_LEVEL_NORMAL] = "DROPPED_NORMAL",
    [MON_LEVEL_MIDDLE] = "DROPPED_MIDDLE", [MON_LEVEL_HIGH] = "DROPPED_HIGH",
    [MON_LEVEL_FROZEN] = "DROPPED_FROZEN",
};

static void put_levels(struct mb_json *json, const struct mon_drawn *drawn)
{
    mb_json_open(json, "dropLevel", "{");
    for (size_t i = 0; i < MON_LEVEL_COUNT; i++) {
        mb_json_number(json, level_keys[i], drawn->levels[i]);
    }
    mb_json_close(json, "}");
    mb_json_open(json, "dropSum", "{");
    for (size_t i = 0; i < MON_LEVEL_COUNT; i++) {
        mb_json_number(json, level_keys[i], (int64_t)drawn->dropped[i]);
    }
    mb_json_close(json, "}");
}

static int64_t mean_dropped(const struct mon_drawn *drawn)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < MON_LEVEL_COUNT; i++) {
        sum += drawn->dropped[i];
    }
    return drawn->frames > 0 ? (int64_t)((sum + drawn->frames / 2) / drawn->frames) : 0;
}

void mon_figures_put_drawn(struct mb_json *json, const struct mon_issue *issue,
                           struct mb_text scene)
{
    static const char *const stage_keys[] = {
#define MON_STAGE(NAME, field, key) [MON_STAGE_##NAME] = (key),
        MON_STAGES(MON_STAGE)
#undef MON_STAGE
    };
    const struct mon_drawn *drawn = drawn_of(issue);

    mb_json_text(json, "scene", scene);
    put_levels(json, drawn);
    put_hundredths(json, "fps", mon_drawn_fps(drawn));
    for (size_t i = 0; i < MON_STAGE_COUNT; i++) {
        if (drawn->stages[i] > 0) {
            mb_json_number(json, stage_keys[i], mon_drawn_stage_ns(drawn, (enum mon_stage)i));
        }
    }
    mb_json_number(json, "DROP_COUNT", mean_dropped(drawn));
    mb_json_number(json, "REFRESH_RATE", (mon_drawn_refresh(drawn) + 50) / 100);
}

void mon_figures_put_own_drawn(struct mb_json *json, const struct mon_issue *issue)
{
    const struct mon_drawn *drawn = drawn_of(issue);
    int64_t hitch = mon_drawn_hitch_us(drawn);

    mb_json_open(json, "frames", "{");
    mb_json_number(json, "count", drawn->frames);
    mb_json_number(json, "drawing_ms", mon_ms(drawn->time_ns));
    mb_json_number(json, "late_ms", mon_ms(drawn->late_ns));
    mb_json_number(json, "longest_ms", mon_ms(drawn->longest_ns));
    mb_json_number(json, "janky", drawn->janky);
    mb_json_key(json, "hitch_ms_per_s");
    mb_buf_printf(json->out, "%" PRId64 ".%03" PRId64, hitch / 1000, hitch % 1000);
    put_hundredths(json, "rate", mon_drawn_rate(drawn));
    put_hundredths(json, "refresh", mon_drawn_refresh(drawn));
    mb_json_number(json, "lost", drawn->lost);
    mb_json_number(json, "stages_cut", drawn->cut);
    mb_json_close(json, "}");
}

/* ---- Starts ---- */

void mon_figures_put_start(struct mb_json *json, const struct mon_issue *issue)
{
    const struct mon_starting *starting = starting_of(issue);

    mb_json_number(json, "application_create", mon_ms(starting->application_ns));
    mb_json_number(json, "application_create_scene", starting->application);
    mb_json_number(json, "first_activity_create", mon_ms(starting->screen_ns));
    mb_json_number(json, "startup_duration", mon_ms(starting->duration_ns));
    mb_json_flag(json, "is_warm_start_up", starting->kind != MON_START_COLD);
}

void mon_figures_put_kind(struct mb_json *json, const struct mon_issue *issue)
{
    mb_json_number(json, "subType", starting_of(issue)->kind == MON_START_COLD ? 1 : 2);
}

static void put_ms(struct mb_json *json, const char *key, int64_t ns)
{
    if (ns > 0) {
        mb_json_number(json, key, mon_ms(ns));
    }
}

void mon_figures_put_own_start(struct mb_json *json, const struct mon_issue *issue,
                               struct mb_text screen)
{
    const struct mon_starting *starting = starting_of(issue);

    mb_json_open(json, "start", "{");
    mb_json_string(json, "kind", mon_start_name(starting->kind));
    mb_json_text(json, "screen", screen);
    mb_json_flag(json, "saved_state", starting->has_state);
    put_ms(json, "drawn_ms", starting->drawn_ns);
    put_ms(json, "focused_ms", starting->focused_ns);
    put_ms(json, "fully_drawn_ms", starting->fully_ns);
    mb_json_close(json, "}");
}
