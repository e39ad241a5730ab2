#include "simulator.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static struct mon_event previous_stall(struct sim *sim, enum mon_detail detail)
{
    struct mon_event event = {.kind = MON_PREVIOUS};

    event.previous = (struct mon_previous){.start = 0xabc,
                                           .number = 4,
                                           .loop_name = sim_name(sim, "main"),
                                           .detail = (uint32_t)detail,
                                           .wall_ns = INT64_C(1780000000000) * SIM_MS,
                                           .watched_ns = 8200 * SIM_MS,
                                           .gap_ns = 100 * SIM_MS,
                                           .scene = sim_name(sim, "a.b.Main"),
                                           .frames = {1, {sim_name(sim, "app.slow")}}};
    return event;
}

Test(previous, is_told_by_the_next_process)
{
    struct sim *sim = sim_create();

    sim_start(sim);
    struct mon_event event = previous_stall(sim, MON_HANG);
    sim_feed(sim, &event);
    sim_run(sim, 300);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(int, sim->issues[0].detail, MON_HANG));
    cr_assert(eq(int, sim->issues[0].ended, MON_ENDED_KILLED));
    cr_assert(eq(i64, sim->issues[0].watched_ns, 8200 * SIM_MS));
    mb_buf_put_u1(&sim->text, '\0');
    cr_assert_not_null(strstr((const char *)sim->text.bytes, "\"incident\":\"abc-4\""));
    cr_assert_not_null(strstr((const char *)sim->text.bytes, "\"time\":1780000008300,"));
    cr_assert_not_null(strstr((const char *)sim->text.bytes, "\"detail\":\"ANR\""));
    sim_destroy(sim);
}

/* It was over, and its issue not yet written. */
Test(previous, that_was_over_is_told_with_its_trace)
{
    struct sim *sim = sim_create();

    sim_start(sim);
    struct mon_event event = previous_stall(sim, MON_ANR);
    event.previous.is_over = true;
    event.previous.key = 171;
    event.previous.items = (struct mon_items){1, {{0, 171, 1, 637}}};
    sim_feed(sim, &event);
    sim_run(sim, 300);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(int, sim->issues[0].ended, MON_ENDED_NORMAL));
    mb_buf_put_u1(&sim->text, '\0');
    cr_assert_not_null(strstr((const char *)sim->text.bytes, "\"incident\":\"abc-4\""));
    cr_assert_not_null(strstr((const char *)sim->text.bytes, "\"stack\":\"0,171,1,637\\n\""));
    cr_assert_not_null(strstr((const char *)sim->text.bytes, "\"stackKey\":\"171|\""));
    sim_destroy(sim);
}

Test(previous, that_makes_no_sense_is_left_out)
{
    struct sim *sim = sim_create();

    sim_start(sim);
    for (int detail = 0; detail < 300; detail += detail == MON_NORMAL ? 5 : 1) {
        struct mon_event event = previous_stall(sim, (enum mon_detail)detail);
        sim_feed(sim, &event);
        sim_run(sim, detail + 1);
    }
    cr_assert(eq(u32, sim->issue_count, 0));
    sim_destroy(sim);
}
