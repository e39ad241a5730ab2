#include "simulator.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static struct sim *sim;

static void set_up(void)
{
    sim = sim_create();
}

static void tear_down(void)
{
    sim_destroy(sim);
}

TestSuite(stall, .init = set_up, .fini = tear_down);

/* One message of that length; what is told of it. */
struct length_case {
    const char *what;
    int64_t ms;
    enum mon_detail detail; /* MON_NOTHING: nothing is told */
};

static const struct length_case length_cases[] = {
    {"a short message", 100, MON_NOTHING},
    {"one that is looked at", 699, MON_NOTHING},
    {"a slow one", 700, MON_NORMAL},
    {"the longest that is only slow", 1999, MON_NORMAL},
    {"lag", 2000, MON_LAG},
    {"nearly an ANR", 4999, MON_LAG},
    {"an ANR", 5500, MON_ANR},
    {"longer than what upstream drops", 6500, MON_ANR},
    {"a hang", 8000, MON_HANG},
    {"a long hang", 60000, MON_HANG},
};

EACH_ROW(stall, is_told_once, length_cases);

ParameterizedTest(size_t *row, stall, is_told_once)
{
    const struct length_case *c = &length_cases[*row];

    sim_message(sim, 1000, 1000 + c->ms, "app.slow");
    sim_start(sim);
    sim_run(sim, c->ms + 5000);
    cr_expect(eq(u32, sim->issue_count, c->detail != MON_NOTHING), "%s", c->what);
    if (sim->issue_count > 0) {
        cr_expect(eq(int, sim->issues[0].detail, c->detail), "%s", c->what);
        cr_expect(eq(i64, sim->issues[0].begin_ns, 1000 * SIM_MS), "%s", c->what);
        cr_expect(eq(i64, sim->issues[0].cost_ns, c->ms * SIM_MS), "%s", c->what);
        cr_expect(eq(i64, sim->issues[0].watched_ns, c->ms * SIM_MS), "%s", c->what);
        cr_expect(eq(u32, sim->issues[0].top, sim_name(sim, "app.slow")), "%s", c->what);
        cr_expect(eq(u32, sim->issues[0].trace_key, 171), "%s", c->what);
        cr_expect(eq(int, sim->issues[0].ended, MON_ENDED_NORMAL), "%s", c->what);
    }
    cr_expect(eq(int, sim->notes > 0, c->ms >= 2000), "%s", c->what);
    cr_expect(eq(u32, sim->notes_closed, c->ms >= 2000), "%s", c->what);
    cr_expect(eq(int, sim->issue_count > 0 && sim->issues[0].all_stacks != 0, c->detail >= MON_ANR),
              "%s", c->what);
}

Test(stall, thresholds_are_options)
{
    cr_assert(mon_options_set(&sim->options, "clicfg_matrix_trace_evil_method_threshold", "30"));
    sim_message(sim, 1000, 1029, "app.a");
    sim_message(sim, 2000, 2030, "app.b");
    sim_start(sim);
    sim_run(sim, 4000);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(i64, sim->issues[0].begin_ns, 2000 * SIM_MS));
}

Test(stall, without_its_monitor_is_a_slow_message)
{
    cr_assert(mon_options_set(&sim->options, "stall_enable", "0"));
    sim_message(sim, 1000, 21000, "app.a");
    sim_start(sim);
    sim_run(sim, 25000);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(int, sim->issues[0].detail, MON_NORMAL));
    cr_assert(eq(u32, sim->notes, 0));
}

Test(stall, stages_come_when_they_are_due)
{
    sim_message(sim, 1000, 30000, "app.a");
    sim_start(sim);
    sim_run(sim, 2999);
    cr_assert(eq(u32, sim->notes, 0));
    sim_run(sim, 3001);
    cr_assert(gt(u32, sim->notes, 0), "the lag is noted at 2 s to the tick");
    cr_assert(eq(u32, sim->issue_count, 0));
    cr_assert(eq(i64, mon_next_ns(sim->mon), 4000 * SIM_MS), "the next look");
}

Test(stall, is_looked_at_less_and_less)
{
    static const int64_t looks[] = {3000,  5000,  8000,
                                    13000, 21000, 34000}; /* from begin, after 2000 */
    uint32_t first;

    sim_message(sim, 0, 40000, "app.a");
    sim_start(sim);
    sim_run(sim, 2000);
    first = sim->stacks_taken;
    cr_assert(ge(u32, first, 30), "each 50 ms from 300 to 2000");
    sim_run(sim, 40000);
    cr_assert(eq(u32, sim->stacks_taken - first, MB_COUNT(looks)));
    for (uint32_t i = 0; i < MB_COUNT(looks); i++) {
        cr_expect(eq(i64, sim->stack_times[first + i], looks[i] * SIM_MS));
    }
    sim_run(sim, 45000);
    cr_assert(eq(u32, sim->issues[0].dump_count, 1), "the same stack is kept once");
}

Test(stall, of_one_frame_is_looked_at_each_second_and_not_kept)
{
    uint32_t first;

    sim->frame_count = 1;
    sim_message(sim, 0, 10500, "app.a");
    sim_start(sim);
    sim_run(sim, 2000);
    first = sim->stacks_taken;
    sim_run(sim, 12000);
    cr_assert(eq(u32, sim->stacks_taken - first, 8));
    cr_assert(eq(u32, sim->issues[0].dump_count, 0));
}

Test(stall, nested_messages_show_that_the_loop_lives)
{
    sim_message(sim, 1000, 11100, "app.outer");
    for (int64_t at = 1010; at < 11000; at += 11) {
        sim_message(sim, at, at + 10, "app.inner");
    }
    sim_start(sim);
    sim_run(sim, 15000);
    cr_assert(eq(u32, sim->issue_count, 1), "the outer one had 1010 ms of its own");
    cr_assert(eq(int, sim->issues[0].detail, MON_NORMAL));
    cr_assert(lt(i64, sim->issues[0].watched_ns, 1200 * SIM_MS));
}

Test(stall, inside_and_around_a_nested_message_is_told_apart)
{
    sim_message(sim, 0, 12000, "app.outer");
    sim_message(sim, 3000, 9000, "app.inner");
    sim_start(sim);
    sim_run(sim, 15000);
    cr_assert(eq(u32, sim->issue_count, 3));
    cr_expect(eq(int, sim->issues[0].detail, MON_LAG), "3 s of the outer one");
    cr_expect(eq(i64, sim->issues[0].end_ns, 3000 * SIM_MS));
    cr_expect(eq(int, sim->issues[1].detail, MON_ANR), "6 s of the inner one");
    cr_expect(eq(int, sim->issues[2].detail, MON_LAG), "3 s of the outer one again");
    cr_expect(eq(i64, sim->issues[2].begin_ns, 9000 * SIM_MS));
}

Test(stall, gaps_do_not_count)
{
    sim_message(sim, 1000, 22000, "app.a"); /* 20 s of it stopped */
    sim_gap(sim, 1500, 21500);
    sim_message(sim, 30000, 56000, "app.b"); /* 3 s of it watched */
    sim_gap(sim, 31000, 54000);
    sim_start(sim);
    sim_run(sim, 60000);
    cr_assert(eq(u32, sim->issue_count, 2));
    cr_expect(eq(int, sim->issues[0].detail, MON_NORMAL), "1 s was watched");
    cr_expect(eq(int, sim->issues[1].detail, MON_LAG), "3 s were");
    cr_expect(le(i64, sim->issues[1].watched_ns, 3300 * SIM_MS));
    cr_expect(ge(i64, sim->issues[1].watched_ns, 3000 * SIM_MS));
    cr_expect(eq(i64, sim->issues[1].cost_ns, 26000 * SIM_MS));
}

Test(stall, under_a_debugger_is_only_counted)
{
    sim->has_debugger = true;
    sim_message(sim, 1000, 10000, "app.a");
    sim_start(sim);
    sim_run(sim, 15000);
    cr_assert(eq(u32, sim->issue_count, 0));
    cr_assert(eq(u32, sim->notes, 0));
    cr_assert(eq(u64, mon_counters(sim->mon)->debugged, 1));
}

/* To an eighth of its length, with few of them. */
Test(stall, that_lasts_is_noted_again)
{
    sim_message(sim, 1000, 301000, "app.a");
    sim_start(sim);
    sim_run(sim, 12000);
    uint32_t stages = sim->notes;
    sim_run(sim, 30000);
    cr_assert(ge(u32, sim->notes, stages + 6), "10 s became 29 s");
    sim_run(sim, 300000);
    cr_assert(le(u32, sim->notes, 50));
}

/* Noted at 2 s; then a debugger comes, and the end turns out to have been a little earlier. */
Test(stall, that_is_nothing_under_a_debugger_leaves_no_note)
{
    struct mon_event process = {.at_ns = 3100 * SIM_MS, .kind = MON_PROCESS};
    struct mon_event slow = {.at_ns = 2990 * SIM_MS, .kind = MON_SLOW};

    cr_assert(mon_options_set(&sim->options, "evil_enable", "0"));
    sim->hides_slow = true;
    sim_message(sim, 1000, 30000, "app.a");
    sim_start(sim);
    sim_run(sim, 3100);
    cr_assert(gt(u32, sim->notes, 0));
    process.process.is_debugged = true;
    sim_feed(sim, &process);
    sim_run(sim, 3110);
    slow.slow =
        (struct mon_slow){.begin_ns = 1000 * SIM_MS, .stretch_ns = 1000 * SIM_MS, .cpu_ns = -1};
    sim_feed(sim, &slow);
    sim_run(sim, 3120);
    cr_assert(eq(u32, sim->issue_count, 0));
    cr_assert(eq(u32, sim->notes_closed, 1));
}

Test(stall, whose_end_is_never_told_is_told)
{
    sim->hides_slow = true;
    sim_message(sim, 1000, 4000, "app.a");
    sim_message(sim, 4100, 4200, "app.b");
    sim_start(sim);
    sim_run(sim, 10000);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(int, sim->issues[0].detail, MON_LAG));
    cr_assert(eq(int, sim->issues[0].ended, MON_ENDED_UNSEEN));
    cr_assert(ge(i64, sim->issues[0].end_ns, 4000 * SIM_MS));
    cr_assert(le(i64, sim->issues[0].end_ns, 4300 * SIM_MS));
}

Test(stall, does_not_wait_for_answers_for_ever)
{
    sim->hides_stacks = true;
    sim->hides_traces = true;
    sim_message(sim, 1000, 4000, "app.a");
    sim_start(sim);
    sim_run(sim, 5900);
    cr_assert(eq(u32, sim->issue_count, 0));
    sim_run(sim, 6100);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(u32, sim->issues[0].top, 0));
    cr_assert_not_null(strstr((const char *)sim->text.bytes, "\"stack\":\"not reachable\""));
}

Test(stall, ends_where_the_monitors_stop)
{
    const struct mon_event stop = {.at_ns = 4000 * SIM_MS, .kind = MON_STOP};

    sim_message(sim, 1000, 60000, "app.a");
    sim_start(sim);
    sim_run(sim, 4000);
    sim_feed(sim, &stop);
    sim_run(sim, 4300);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(int, sim->issues[0].ended, MON_ENDED_STOPPED));
    cr_assert(eq(i64, sim->issues[0].cost_ns, 3000 * SIM_MS));
    cr_assert(eq(u32, sim->notes_closed, 1));
}

Test(stall, of_many_slow_messages_in_a_tick_none_is_lost)
{
    cr_assert(mon_options_set(&sim->options, "evil_ms", "5"));
    sim->hides_traces = true;
    for (int64_t i = 0; i < 40; i++) {
        sim_message(sim, 310 + i * 7, 310 + i * 7 + 6, "app.a");
    }
    sim_start(sim);
    sim_run(sim, 5000);
    cr_assert(eq(u32, sim->issue_count, 40));
    cr_assert(gt(u64, mon_counters(sim->mon)->crowded, 0));
}

/* ---- Outside messages ---- */

Test(stall, a_loop_that_sleeps_is_not_pinged)
{
    sim_message(sim, 1000, 1100, "app.a");
    sim_start(sim);
    sim_run(sim, 60000);
    cr_assert(eq(u32, sim->pings, 0));
}

Test(stall, outside_messages_is_found_by_ping)
{
    struct mon_event pong = {.kind = MON_PONG};

    sim_start(sim);
    sim_run(sim, 3000);
    sim->cpu_ns = 1;
    sim_run(sim, 9000);
    cr_assert(eq(u32, sim->pings, 1), "one at a time");
    cr_assert(gt(u32, sim->notes, 0));
    pong.at_ns = 9000 * SIM_MS;
    pong.request = sim->ping_request;
    sim_feed(sim, &pong);
    sim->cpu_ns = 2; /* the ping's own work */
    sim_run(sim, 20000);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(int, sim->issues[0].detail, MON_ANR));
    cr_assert(sim->issues[0].is_outside);
    cr_assert(ge(i64, sim->issues[0].cost_ns, 5700 * SIM_MS));
    cr_assert(eq(u32, sim->pings, 1), "what the ping used asks for no other");
}

Test(stall, a_ping_is_moot_when_the_loop_moves)
{
    sim_message(sim, 3500, 3510, "app.a");
    sim_start(sim);
    sim_run(sim, 3000);
    sim->cpu_ns = 1;
    sim_run(sim, 60000);
    cr_assert(eq(u32, sim->pings, 1));
    cr_assert(eq(u32, sim->issue_count, 0));
    cr_assert(eq(u64, mon_counters(sim->mon)->pings_moot, 1));
}

/* ---- Often ---- */

Test(stall, frequent_ones_are_one_more_issue)
{
    cr_assert(mon_options_set(&sim->options, "often", "2000x1,300x5"));
    for (int64_t i = 0; i < 9; i++) {
        sim_message(sim, 1000 + i * 5000, 1000 + i * 5000 + 400, i % 3 == 0 ? "app.a" : "app.b");
    }
    sim_start(sim);
    sim_run(sim, 20000);
    cr_assert(eq(u32, sim->issue_count, 0), "four");
    sim_run(sim, 60000);
    cr_assert(eq(u32, sim->issue_count, 1), "five; the next four are too few");
    cr_assert(eq(int, sim->issues[0].detail, MON_OFTEN));
    cr_assert(eq(u32, sim->issues[0].limit.ms, 300));
    cr_assert(eq(u32, sim->issues[0].top, sim_name(sim, "app.b")), "three of the five");
}
