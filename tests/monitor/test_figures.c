#include "base/clock.h"
#include "monitor/drawn.h"
#include "monitor/issue.h"
#include "monitor/start.h"

#include "names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>

enum { PROCESS = 1, MACHINE, SCENE };

#define DEVICE                                                                              \
    "\"process\":\"com.x\",\"time\":1790000011000,\"machine\":\"HIGH\",\"cpu_app\":0.3100," \
    "\"mem\":8012345344,\"mem_free\":123456,"

static const struct name_list list = {{"com.x", "HIGH", "a.b.Main", NULL}};
static const struct mon_process process = {.name = PROCESS,
                                           .start = 0x5f1c,
                                           .machine = MACHINE,
                                           .wall_ns = INT64_C(1790000000000) * MB_NS_PER_MS,
                                           .mem_bytes = 8012345344,
                                           .mem_free_kb = 123456,
                                           .cpu_share = 3100};
static const struct mon_trace trace = {.key = 171, .items = {1, {{0, 171, 1, 637}}}};

static void expect(const struct mon_issue *issue, const char *wanted)
{
    const struct mon_names names = names_of(&list);
    struct mon_options options;
    struct mb_buf text = {0};

    mon_options_init(&options);
    mon_issue_put(&text, issue, &names, &options, NULL);
    json_t *json = json_loadb((const char *)text.bytes, text.size, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(json);
    json_decref(json);
    mb_buf_put_u1(&text, '\0');
    cr_assert_str_eq((const char *)text.bytes, wanted, "%s", (char *)text.bytes);
    mb_buf_finish(&text);
}

static struct mon_issue issue_of(enum mon_detail detail)
{
    return (struct mon_issue){.detail = detail,
                              .span.number = 17,
                              .start = 0x5f1c,
                              .span.begin_ns = 1000000000,
                              .span.end_ns = 11000000000,
                              .cost_ns = 10000000000,
                              .span.watched_ns = 10000000000,
                              .cpu_ns = -1,
                              .is_foreground = true,
                              .scene = SCENE,
                              .process = &process};
}

Test(figures, of_frames_have_the_keys_of_matrix)
{
    const struct mon_drawn drawn = {
        .frames = 500,
        .janky = 9,
        .lost = 2,
        .cut = 1,
        .time_ns = 10000000000,
        .late_ns = 1666666500,
        .interval_ns = 8333333500,
        .longest_ns = 720000000,
        .gaps = 490,
        .gaps_ns = 9000000000,
        .levels = {495, 2, 1, 1, 1},
        .dropped = {10, 8, 9, 30, 43},
        .stages_ns = {[MON_STAGE_INPUT] = 1000000, [MON_STAGE_TOTAL] = 5000000000},
        .stages = {[MON_STAGE_INPUT] = 500, [MON_STAGE_TOTAL] = 500},
    };
    struct mon_issue issue = issue_of(MON_FPS);

    issue.drawn = &drawn;
    issue.span.watched_ns = 11000000000; /* the last frame's interval goes on */
    expect(&issue,
           "{\"tag\":\"Trace_FPS\"," DEVICE
           "\"scene\":\"a.b.Main\",\"dropLevel\":{\"DROPPED_BEST\":495,\"DROPPED_NORMAL\":2,"
           "\"DROPPED_MIDDLE\":1,\"DROPPED_HIGH\":1,\"DROPPED_FROZEN\":1},"
           "\"dropSum\":{\"DROPPED_BEST\":10,\"DROPPED_NORMAL\":8,\"DROPPED_MIDDLE\":9,"
           "\"DROPPED_HIGH\":30,\"DROPPED_FROZEN\":43},\"fps\":50.00,"
           "\"INPUT_HANDLING_DURATION\":2000,\"TOTAL_DURATION\":10000000,\"DROP_COUNT\":0,"
           "\"REFRESH_RATE\":60,\"methodbeat\":{\"schema\":1,\"incident\":\"5f1c-17\","
           "\"detail\":\"FPS\",\"loop\":0,\"begin_ns\":1000000000,\"cost_ns\":10000000000,"
           "\"watched_ns\":11000000000,\"foreground\":true,\"ended\":\"normal\","
           "\"frames\":{\"count\":500,\"drawing_ms\":10000,\"late_ms\":1666,\"longest_ms\":720,"
           "\"janky\":9,\"hitch_ms_per_s\":166.666,\"rate\":54.44,\"refresh\":60.00,\"lost\":2,"
           "\"stages_cut\":1}}}");
}

static const struct mon_starting starting = {.kind = MON_START_COLD,
                                             .has_state = true,
                                             .application_ns = 250000000,
                                             .application = 100,
                                             .screen_ns = 9600000000,
                                             .duration_ns = 9700000000,
                                             .drawn_ns = 9900000000,
                                             .focused_ns = 10000000000};

Test(figures, of_starts_have_the_keys_of_matrix)
{
    struct mon_issue issue = issue_of(MON_START);

    issue.starting = &starting;
    expect(&issue,
           "{\"tag\":\"Trace_StartUp\"," DEVICE
           "\"application_create\":250,\"application_create_scene\":100,"
           "\"first_activity_create\":9600,\"startup_duration\":9700,\"is_warm_start_up\":false,"
           "\"methodbeat\":{\"schema\":1,\"incident\":\"5f1c-17\",\"detail\":\"START\",\"loop\":0,"
           "\"begin_ns\":1000000000,\"cost_ns\":10000000000,\"watched_ns\":10000000000,"
           "\"gap_ns\":0,\"foreground\":true,\"ended\":\"normal\",\"start\":{\"kind\":\"cold\","
           "\"screen\":\"a.b.Main\",\"saved_state\":true,\"drawn_ms\":9900,"
           "\"focused_ms\":10000}}}");
}

Test(figures, of_a_slow_start_stand_beside_its_trace)
{
    struct mon_issue issue = issue_of(MON_SLOW_START);

    issue.starting = &starting;
    issue.trace = &trace;
    expect(&issue,
           "{\"tag\":\"Trace_EvilMethod\"," DEVICE
           "\"detail\":\"STARTUP\",\"cost\":10000,\"usage\":\"\",\"scene\":\"a.b.Main\","
           "\"stack\":\"0,171,1,637\\n\",\"stackKey\":\"171|\",\"subType\":1,"
           "\"methodbeat\":{\"schema\":1,\"incident\":\"5f1c-17\",\"detail\":\"STARTUP\","
           "\"loop\":0,\"begin_ns\":1000000000,\"cost_ns\":10000000000,"
           "\"watched_ns\":10000000000,\"gap_ns\":0,\"foreground\":true,\"ended\":\"normal\","
           "\"losses\":{\"lapped\":false,\"lost_entries\":0},\"start\":{\"kind\":\"cold\","
           "\"screen\":\"a.b.Main\",\"saved_state\":true,\"drawn_ms\":9900,"
           "\"focused_ms\":10000}}}");
}

Test(figures, have_a_key_for_each_scene_and_kind_of_start)
{
    const struct mon_names names = names_of(&list);
    const struct mon_drawn drawn = {.frames = 1};
    struct mon_issue issue = issue_of(MON_FPS);

    issue.drawn = &drawn;
    uint64_t key = mon_issue_key(&issue, &names);
    issue.scene = PROCESS;
    cr_assert(ne(u64, key, mon_issue_key(&issue, &names)));
    issue = issue_of(MON_START);
    issue.starting = &starting;
    cr_assert(eq(u64, mon_issue_key(&issue, &names), 1));
}
