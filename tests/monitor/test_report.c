#include "simulator.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static struct mon_event own_issue(struct sim *sim, const char *json)
{
    struct mon_event event = {.kind = MON_REPORT, .at_ns = 5 * SIM_MS};

    event.report = (struct mon_report){.detail = sim_name(sim, "checkout"),
                                       .key = sim_name(sim, "cart.empty"),
                                       .json = json != NULL ? sim_name(sim, json) : 0,
                                       .thread = sim_name(sim, "pool-1")};
    return event;
}

static void expect_text(struct sim *sim, const char *text)
{
    mb_buf_put_u1(&sim->text, '\0');
    cr_assert_not_null(strstr((const char *)sim->text.bytes, text), "%s",
                       (const char *)sim->text.bytes);
    sim->text.size--;
}

Test(own, is_told_as_it_is)
{
    struct sim *sim = sim_create();

    sim_start(sim);
    struct mon_event event = own_issue(sim, "{\"a\": [1,\n2]}");
    sim_feed(sim, &event);
    sim_run(sim, 300);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert(eq(int, sim->issues[0].detail, MON_CUSTOM));
    cr_assert(eq(i64, sim->issues[0].begin_ns, 5 * SIM_MS));
    cr_assert(eq(u32, sim->notes, 1), "until it is written");
    expect_text(sim, "{\"tag\":\"Custom\",");
    expect_text(sim, "\"detail\":\"checkout\",\"cost\":0,");
    expect_text(sim,
                "\"detail\":\"checkout\",\"told\":{\"key\":\"cart.empty\",\"thread\":\"pool-1\","
                "\"value\":{\"a\": [1, 2]}},");
    sim_destroy(sim);
}

Test(own, may_hold_nothing)
{
    struct sim *sim = sim_create();

    sim_start(sim);
    struct mon_event event = own_issue(sim, NULL);
    event.report.key = 0;
    sim_feed(sim, &event);
    sim_run(sim, 300);
    expect_text(sim, "\"told\":{\"thread\":\"pool-1\"},");
    sim_destroy(sim);
}

/* Of a log that is not ours, say. */
Test(own, is_an_object_whatever_it_holds)
{
    struct sim *sim = sim_create();

    sim_start(sim);
    struct mon_event event = own_issue(sim, "1,\"x\":\"");
    sim_feed(sim, &event);
    sim_run(sim, 300);
    expect_text(sim, "\"value\":\"1,\\\"x\\\":\\\"\"},");
    sim_destroy(sim);
}

/* Stalls are found beside them, and numbers tell all apart. */
Test(own, changes_nothing_of_others)
{
    struct sim *sim = sim_create();

    sim_message(sim, 10, 1010, "app.slow");
    sim_start(sim);
    struct mon_event event = own_issue(sim, "7");
    sim_feed(sim, &event);
    sim_run(sim, 3000);
    cr_assert(eq(u32, sim->issue_count, 2));
    cr_assert(eq(int, sim->issues[1].detail, MON_NORMAL));
    cr_assert(eq(i64, sim->issues[1].cost_ns, 1000 * SIM_MS));
    cr_assert(ne(u32, sim->issues[0].number, sim->issues[1].number));
    sim_destroy(sim);
}
