#include "replay/replay.h"

#include "monitor/eventlog.h"
#include "monitor/issue.h"
#include "tests/monitor/simulator.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static struct sim *sim;
static struct mon_log written;
static struct mb_buf issues;
static struct mb_error err;

static void set_up(void)
{
    memset(&written, 0, sizeof(written));
    mb_buf_reset(&issues);
    sim = sim_create();
    sim->log_state = &written;
}

static void tear_down(void)
{
    sim_destroy(sim);
    mb_buf_finish(&issues);
}

TestSuite(replay, .init = set_up, .fini = tear_down);

static void put_issue(void *context, const struct mon_issue *issue, const struct mon_names *names,
                      const struct mon_options *options)
{
    (void)context;
    mon_issue_put(&issues, issue, names, options, NULL);
    mb_buf_put_u1(&issues, '\n');
}

static enum mb_status play(struct mb_text log, const struct replay_setting *settings, size_t count)
{
    const struct replay_visitor visitor = {.issue = put_issue};
    struct replay *replay = replay_create(&visitor, settings, count);
    enum mb_status status;

    mb_buf_reset(&issues);
    cr_assert_not_null(replay);
    status = replay_text(replay, log, "log", &err);
    replay_destroy(replay);
    return status;
}

static struct mb_text log_of(const struct sim *simulated)
{
    return (struct mb_text){(const char *)simulated->log.bytes, simulated->log.size};
}

static void expect_same(void)
{
    cr_assert(eq(sz, issues.size, sim->text.size));
    cr_assert(eq(int, memcmp(issues.bytes, sim->text.bytes, issues.size), 0));
}

static void live(void)
{
    struct mon_event event = {.kind = MON_EXIT};

    cr_assert(mon_options_set(&sim->options, "often", "300x3"));
    cr_assert(mon_options_set(&sim->options, "platform", "com.vendor."));
    sim_message(sim, 1000, 1900, "app.slow");
    sim_message(sim, 3000, 5500, "app.lag");
    sim_message(sim, 6000, 16000, "java.lang.Object.wait");
    sim_gap(sim, 30000, 40000);
    sim_start(sim);
    event.exit.start = UINT64_MAX;
    event.exit.number = 1;
    event.exit.wall_ns = INT64_C(1780000000000) * SIM_MS;
    event.exit.reason = sim_name(sim, "\xc3\xa9 \"quoted\" \\ \n\t");
    sim_feed(sim, &event);
    sim_run(sim, 45000);
    cr_assert(eq(u32, sim->issue_count, 5));
}

Test(replay, gives_what_was_told_live)
{
    live();
    cr_assert(eq(int, play(log_of(sim), NULL, 0), MB_OK), "%s: %s", err.input, err.reason);
    expect_same();
}

Test(replay, of_random_lives_gives_what_was_told)
{
    for (uint32_t script = 1; script <= 100; script++) {
        tear_down();
        set_up();
        srand(script);
        for (int64_t at = 500, i = 0; i < 10; i++) {
            int64_t length = 20 + rand() % 4000;
            sim_message(sim, at, at + length, "app.a");
            if (rand() % 2 == 0) {
                sim_message(sim, at + 1, at + length / 2, "app.b");
            }
            at += length + 1 + rand() % 1000;
        }
        sim_start(sim);
        sim_run(sim, 60000);
        cr_assert(eq(int, play(log_of(sim), NULL, 0), MB_OK), "%s: %s", err.input, err.reason);
        expect_same();
    }
}

Test(replay, takes_other_thresholds)
{
    const struct replay_setting setting = {"clicfg_matrix_trace_evil_method_threshold", "1000"};

    live();
    cr_assert(eq(int, play(log_of(sim), &setting, 1), MB_OK));
    cr_assert(lt(sz, issues.size, sim->text.size));
    mb_buf_put_u1(&issues, '\0');
    cr_assert_null(strstr((const char *)issues.bytes, "app.slow"));
}

/* The writer was killed: what it had written counts. */
Test(replay, of_a_log_that_was_cut_gives_the_first_issues)
{
    live();
    for (size_t size = sim->log.size; size > 0; size -= size / 50 + 1) {
        enum mb_status status = play((struct mb_text){(const char *)sim->log.bytes, size}, NULL, 0);
        bool has_head = memchr(sim->log.bytes, '\n', size) != NULL;
        cr_assert(eq(int, status, has_head ? MB_OK : MB_BAD_TEXT), "%zu", size);
        cr_assert(le(sz, issues.size, sim->text.size));
        cr_assert(
            eq(int, issues.size > 0 ? memcmp(issues.bytes, sim->text.bytes, issues.size) : 0, 0));
    }
}

/* Two files in turn: the second says its names again. */
Test(replay, goes_on_with_a_second_file)
{
    const struct replay_visitor visitor = {.issue = put_issue};
    struct replay *replay = replay_create(&visitor, NULL, 0);
    size_t first;

    sim_message(sim, 1000, 10000, "app.a");
    sim_start(sim);
    sim_run(sim, 4000);
    first = sim->log.size;
    memset(&written, 0, sizeof(written));
    sim_run(sim, 15000);
    cr_assert(eq(u32, sim->issue_count, 1));
    struct mb_text log = log_of(sim);
    cr_assert(eq(int, replay_text(replay, (struct mb_text){log.data, first}, "1", &err), MB_OK));
    cr_assert(
        eq(int,
           replay_text(replay, (struct mb_text){log.data + first, log.size - first}, "2", &err),
           MB_OK),
        "%s: %s", err.input, err.reason);
    replay_destroy(replay);
    expect_same();
}

struct bad_case {
    char line[128];
    char reason[64];
};

#define HEAD "{\"methodbeat_events\":1,\"options\":{}}\n"

static const struct bad_case bad_cases[] = {
    {"", "not an event log"},
    {"{}\n", "not an event log"},
    {"[]\n", "not an event log"},
    {"{\"methodbeat_events\":2}\n", "not an event log"},
    {"{\"methodbeat_events\":1,\"options\":{\"evil\":\"1\"}}\n", "there is no option 'evil'"},
    {"{\"methodbeat_events\":1,\"options\":{\"evil_ms\":\"x\"}}\n", "not understood"},
    {HEAD "{\"at\":1}\n", "'kind' is not the kind of an event"},
    {HEAD "{\"at\":1,\"kind\":\"TOCK\"}\n", "'kind' is not"},
    {HEAD "{\"at\":1,\"kind\":\"TICK\",\"x\":1}\n", "'x' is not a member"},
    {HEAD "{\"at\":1.5,\"kind\":\"TICK\"}\n", "'at' is not a number"},
    {HEAD "{\"at\":1,\"kind\":\"TICK\",\"loop\":16}\n", "'loop' is not a number in range"},
    {HEAD "{\"at\":144115188075855873,\"kind\":\"TICK\"}\n", "'at' is not a number in range"},
    {HEAD "{\"at\":1,\"kind\":\"SCENE\",\"name\":5}\n", "'name' is not a name that was said"},
    {HEAD "{\"at\":1,\"kind\":\"SCENE\",\"name\":9999999}\n", "'name' is not a number in range"},
    {HEAD "{\"at\":1,\"kind\":\"LOOP\",\"sequence\":\"xyz\"}\n", "hexadecimal"},
    {HEAD "{\"at\":1,\"kind\":\"LOOP\",\"is_open\":1}\n", "true or false"},
    {HEAD "{\"at\":1,\"kind\":\"TRACE\",\"items\":[[1,2,3]]}\n", "a number in range"},
    {HEAD "{\"name\":0,\"text\":\"a\"}\n", "not a name and its text"},
    {HEAD "{\"name\":1048576,\"text\":\"a\"}\n", "not a name and its text"},
    {HEAD "{\"at\":1,\"at\":2,\"kind\":\"TICK\"}\n", "duplicate"},
    {HEAD "{\"at\":1\n", ""},
};

EACH_ROW(replay, refuses_what_is_no_log, bad_cases);

ParameterizedTest(size_t *row, replay, refuses_what_is_no_log)
{
    const struct bad_case *c = &bad_cases[*row];

    cr_assert(eq(int, play(mb_text_of(c->line), NULL, 0), MB_BAD_TEXT), "%s", c->line);
    cr_assert_not_null(strstr(err.reason, c->reason), "%s: %s", c->line, err.reason);
    cr_assert_not_null(
        strstr(err.input, strncmp(c->line, HEAD, strlen(HEAD)) == 0 ? "log:2" : "log:1"), "%s",
        err.input);
}
