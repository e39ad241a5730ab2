#include "simulator.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static struct sim *sim;

static void set_up(void)
{
    sim = sim_create();
    sim_start(sim);
}

static void tear_down(void)
{
    sim_destroy(sim);
}

TestSuite(cpu, .init = set_up, .fini = tear_down);

/* A second at that share (percent of one core) after another, on two cores. */
static void burn(uint32_t seconds, int64_t percent)
{
    static int64_t used;

    for (uint32_t i = 0; i < seconds; i++) {
        struct mon_event event = {.kind = MON_CPU};
        sim_run(sim, sim->now_ns / SIM_MS + 1000);
        used += percent * 10 * SIM_MS;
        event.at_ns = sim->now_ns;
        event.cpu.process_ns = used;
        event.cpu.cores = 2;
        sim_feed(sim, &event);
    }
    sim_run(sim, sim->now_ns / SIM_MS + 3000); /* the threads do not answer */
}

Test(cpu, a_busy_process_is_told_once)
{
    burn(5, 20);
    burn(1, 0);
    cr_assert(eq(u32, sim->issue_count, 0));
    burn(30, 200);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(int, sim->issues[0].detail, MON_BUSY));
}

Test(cpu, one_of_two_cores_is_not_busy)
{
    burn(30, 100);
    cr_assert(eq(u32, sim->issue_count, 0));
}

Test(cpu, the_average_of_a_minute_is_told_then_it_rests)
{
    burn(65, 200);
    cr_assert(eq(u32, sim->issue_count, 2), "the begin and the minute");
    cr_assert(ge(i64, sim->issues[1].cost_ns, 60000 * SIM_MS));
    burn(50, 200);
    cr_assert(eq(u32, sim->issue_count, 2));
    burn(20, 200);
    cr_assert(eq(u32, sim->issue_count, 3));
}

Test(cpu, an_average_is_given_up_early)
{
    burn(2, 200);
    burn(20, 10);
    burn(40, 100);
    cr_assert(eq(u32, sim->issue_count, 1));
}

Test(cpu, readings_far_apart_say_nothing)
{
    struct mon_event event = {.kind = MON_CPU};

    for (int64_t i = 0; i < 10; i++) {
        sim_run(sim, (i + 1) * 6000);
        event.at_ns = sim->now_ns;
        event.cpu.process_ns = i * 12000 * SIM_MS;
        event.cpu.cores = 2;
        sim_feed(sim, &event);
    }
    sim_run(sim, 100000);
    cr_assert(eq(u32, sim->issue_count, 0));
}

Test(cpu, names_the_three_threads_that_matter)
{
    struct mon_event event = {.kind = MON_CPU};
    static const int64_t ms[] = {60, 400, 10, 900, 51};

    for (int64_t i = 0; i < 2; i++) {
        sim_run(sim, (i + 1) * 1000);
        event.at_ns = sim->now_ns;
        event.cpu.process_ns = i * 2000 * SIM_MS;
        event.cpu.cores = 2;
        sim_feed(sim, &event);
    }
    sim_run(sim, 2100);
    event.request = 1; /* the only question there was */
    event.cpu.over_ns = 1000 * SIM_MS;
    event.cpu.threads.count = 5;
    for (uint32_t i = 0; i < 5; i++) {
        event.cpu.threads.threads[i] =
            (struct mon_thread){i, sim_name(sim, "worker"), ms[i] * SIM_MS};
    }
    event.at_ns = sim->now_ns;
    sim_feed(sim, &event);
    sim_run(sim, 2500);
    cr_assert(eq(u32, sim->issue_count, 1));
    mb_buf_put_u1(&sim->text, '\0');
    cr_assert_not_null(strstr((const char *)sim->text.bytes,
                              "\"threads\":[{\"id\":3,\"name\":\"worker\",\"cpu_ns\":900000000},"
                              "{\"id\":1,\"name\":\"worker\",\"cpu_ns\":400000000},"
                              "{\"id\":0,\"name\":\"worker\",\"cpu_ns\":60000000}]"));
}
