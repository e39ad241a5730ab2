#include "monitor/figures.h"

#include "abi/issue.h"
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

static const char *const level_keys[MON_LEVEL_COUNT] = {ABI_LEVELS(ABI_LEVEL_KEY)};

static void put_levels(struct mb_json *json, const struct mon_drawn *drawn)
{
    mb_json_open(json, ABI_ISSUE_DROP_LEVEL, "{");
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

    mb_json_text(json, ABI_ISSUE_SCENE, scene);
    put_levels(json, drawn);
    put_hundredths(json, ABI_ISSUE_FPS, mon_drawn_fps(drawn));
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

    mb_json_open(json, ABI_OWN_FRAMES, "{");
    mb_json_number(json, ABI_FRAMES_COUNT, drawn->frames);
    mb_json_number(json, "drawing_ms", mon_ms(drawn->time_ns));
    mb_json_number(json, ABI_FRAMES_LATE_MS, mon_ms(drawn->late_ns));
    mb_json_number(json, ABI_FRAMES_LONGEST_MS, mon_ms(drawn->longest_ns));
    mb_json_number(json, "janky", drawn->janky);
    mb_json_key(json, ABI_FRAMES_HITCH);
    mb_buf_printf(json->out, "%" PRId64 ".%03" PRId64, hitch / 1000, hitch % 1000);
    put_hundredths(json, "rate", mon_drawn_rate(drawn));
    put_hundredths(json, ABI_FRAMES_REFRESH, mon_drawn_refresh(drawn));
    mb_json_number(json, "lost", drawn->lost);
    mb_json_number(json, "stages_cut", drawn->cut);
    if (drawn->lacking > 0) {
        mb_json_number(json, ABI_FRAMES_LACKING, drawn->lacking);
    }
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

    mb_json_open(json, ABI_OWN_START, "{");
    mb_json_string(json, ABI_START_KIND, mon_start_name(starting->kind));
    mb_json_text(json, "screen", screen);
    mb_json_flag(json, "saved_state", starting->has_state);
    put_ms(json, ABI_START_DRAWN_MS, starting->drawn_ns);
    put_ms(json, ABI_START_FOCUSED_MS, starting->focused_ns);
    put_ms(json, ABI_START_FULLY_DRAWN_MS, starting->fully_ns);
    mb_json_close(json, "}");
}
