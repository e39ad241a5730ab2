#include "simulator.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

Test(exit, that_only_the_system_saw_is_told)
{
    struct sim *sim = sim_create();
    struct mon_event event = {.kind = MON_EXIT};

    sim_start(sim);
    event.exit = (struct mon_exit){.start = 0x5f1c,
                                   .number = 17,
                                   .pid = 4711,
                                   .wall_ns = INT64_C(1780000000000) * SIM_MS,
                                   .reason = sim_name(sim, "Input dispatching timed out"),
                                   .trace = sim_name(sim, "\"main\" prio=5")};
    sim_feed(sim, &event);
    sim_run(sim, 300);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(int, sim->issues[0].detail, MON_EXIT_ANR));
    cr_assert(eq(int, sim->issues[0].ended, MON_ENDED_KILLED));
    mb_buf_put_u1(&sim->text, '\0');
    const char *text = (const char *)sim->text.bytes;
    cr_assert_not_null(strstr(text, "\"tag\":\"Trace_EvilMethod\""));
    cr_assert_not_null(strstr(text, "\"time\":1780000000000,"));
    cr_assert_not_null(strstr(text, "\"detail\":\"ANR\""));
    cr_assert_not_null(strstr(text, "\"detail\":\"EXIT_ANR\""));
    cr_assert_not_null(strstr(text, "\"reason\":\"Input dispatching timed out\",\"confirmed\":true,"
                                    "\"pid\":4711,\"noted\":\"5f1c-17\""));
    cr_assert_not_null(strstr(text, "\"threads\":\"\\\"main\\\" prio=5\""));
    cr_assert_not_null(strstr(text, "\"incident\":\"18b3d491b4320000-4711\""));
    cr_assert_null(strstr(text, "_ns\":"), "of its length nothing is known: %s", text);
    sim_destroy(sim);
}

Test(exit, needs_no_words_of_the_system)
{
    struct sim *sim = sim_create();
    struct mon_event event = {.kind = MON_EXIT};

    sim_start(sim);
    sim_feed(sim, &event);
    sim_run(sim, 300);
    cr_assert(eq(u32, sim->issue_count, 1));
    mb_buf_put_u1(&sim->text, '\0');
    cr_assert_null(strstr((const char *)sim->text.bytes, "\"noted\""));
    cr_assert_null(strstr((const char *)sim->text.bytes, "\"reason\""));
    sim_destroy(sim);
}
