#include "simulator.h"

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

TestSuite(engine, .init = set_up, .fini = tear_down);

Test(engine, needs_no_more_than_640_kilobytes)
{
    cr_assert(le(sz, mon_size(), 640 * 1024));
}

Test(engine, refuses_what_does_not_exist)
{
    const struct mon_event kind = {.kind = MON_KIND_COUNT};
    const struct mon_event loop = {.kind = MON_LOOP, .loop = MON_LOOP_COUNT};

    sim_start(sim);
    mon_feed(sim->mon, &kind);
    mon_feed(sim->mon, &loop);
    cr_assert(eq(u64, mon_counters(sim->mon)->unknown, 2));
}

Test(engine, waits_for_nothing_when_nothing_happens)
{
    sim_start(sim);
    sim_run(sim, 1000);
    cr_assert(eq(i64, mon_next_ns(sim->mon), INT64_MAX));
}

Test(engine, takes_more_events_than_a_tick_should_have)
{
    struct mon_event event = {.kind = MON_SLOW};

    sim->hides_traces = true;
    sim_start(sim);
    for (int64_t i = 0; i < 400; i++) {
        event.slow.begin_ns = event.slow.stretch_ns = event.at_ns;
        event.at_ns += 800 * SIM_MS;
        mon_feed(sim->mon, &event);
    }
    sim->now_ns = event.at_ns;
    sim_run(sim, event.at_ns / SIM_MS + 3000);
    cr_assert(gt(u64, mon_counters(sim->mon)->early_batches, 0));
    cr_assert(gt(u64, mon_counters(sim->mon)->crowded, 0));
    cr_assert(eq(u32, sim->issue_count, 400));
}

Test(engine, options_change_at_run_time)
{
    struct mon_event event = {.kind = MON_OPTION};

    sim_message(sim, 1000, 1800, "app.a");
    sim_message(sim, 3000, 3800, "app.a");
    sim_start(sim);
    sim_run(sim, 2500);
    cr_assert(eq(u32, sim->issue_count, 1));
    event.at_ns = sim->now_ns;
    event.change.name = sim_name(sim, "evil_ms");
    event.change.value = sim_name(sim, "900");
    sim_feed(sim, &event);
    sim_run(sim, 6000);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(i64, mon_current_options(sim->mon)->evil_ms, 900));
}

Test(engine, the_background_has_its_own_limits)
{
    struct mon_event event = {.kind = MON_SCENE};

    sim_message(sim, 1000, 7000, "app.a");
    sim_start(sim);
    sim_feed(sim, &event);
    sim_run(sim, 10000);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(int, sim->issues[0].detail, MON_LAG));
}

/* A slow message is told one tick after the one that followed it. */
Test(engine, what_comes_late_is_judged_by_its_own_times)
{
    struct mon_event event = {.at_ns = 3000 * SIM_MS, .kind = MON_SLOW};

    sim->hides_slow = true;
    sim_message(sim, 500, 3000, "app.a");
    sim_start(sim);
    sim_run(sim, 3300);
    event.slow.begin_ns = event.slow.stretch_ns = 500 * SIM_MS;
    event.slow.cpu_ns = -1;
    sim_feed(sim, &event);
    sim_run(sim, 8000);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(int, sim->issues[0].ended, MON_ENDED_NORMAL));
    cr_assert(eq(i64, sim->issues[0].cost_ns, 2500 * SIM_MS));
    cr_assert(eq(u32, sim->issues[0].top, sim_name(sim, "app.a")));
}

/* A poll from before the end of a message, told after it. */
Test(engine, what_comes_late_is_not_told_again)
{
    struct mon_event slow = {.at_ns = 2500 * SIM_MS, .kind = MON_SLOW};
    struct mon_event poll = {.at_ns = 2400 * SIM_MS, .kind = MON_LOOP};
    struct mon_event tick = {.at_ns = 2510 * SIM_MS, .kind = MON_TICK};

    sim_start(sim);
    slow.slow = (struct mon_slow){.begin_ns = 1 * SIM_MS, .stretch_ns = 1 * SIM_MS, .cpu_ns = -1};
    poll.poll = (struct mon_poll){.sequence = 77, .is_open = true, .since_ns = 1 * SIM_MS};
    tick.tick.planned_ns = tick.at_ns;
    mon_feed(sim->mon, &slow);
    mon_feed(sim->mon, &tick);
    mon_feed(sim->mon, &poll);
    mon_feed(sim->mon, &tick);
    sim->now_ns = tick.at_ns;
    sim_run(sim, 9000);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(i64, sim->issues[0].cost_ns, 2499 * SIM_MS));
}
