#include "monitor/watch/watcher.h"

#include "base/check.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

static struct watch_names *names;
static struct watch_exits all;

static void begin(void)
{
    names = watch_names_create();
    cr_assert_not_null(names);
}

static void end(void)
{
    watch_exits_forget(&all);
    watch_names_destroy(names);
}

TestSuite(exits, .init = begin, .fini = end);

static bool is_named(uint32_t name, const char *text)
{
    const struct mon_names view = watch_names_view(names);

    return mb_text_is(mon_name(&view, name), text);
}

static void add(uint32_t pid, const char *noted, const char *reason)
{
    const struct watch_exit exit = {
        .wall_ns = 5000, .pid = pid, .noted = noted, .reason = reason, .trace = "\"main\""};

    watch_exit_add(&all, &exit);
}

/* Whether its issue then says so, and that reason. */
static bool join(const struct spool_head *stall, const char *reason)
{
    struct mb_buf issue = {0};
    char expected[100];

    mb_buf_put_string(&issue, "{\"methodbeat\":{\"schema\":1}}");
    (void)snprintf(expected, sizeof(expected),
                   "{\"methodbeat\":{\"schema\":1,\"reason\":\"%s\",\"confirmed\":true}}", reason);
    watch_exits_join(&all, stall, &issue);
    bool is_joined = mb_text_is((struct mb_text){(char *)issue.bytes, issue.size}, expected);
    cr_assert(is_joined || issue.size == strlen("{\"methodbeat\":{\"schema\":1}}"));
    mb_buf_finish(&issue);
    return is_joined;
}

static const struct joins_case {
    const char *what;
    const char *noted;
    uint32_t pid;
    struct spool_head stall;
    bool is_joined;
} cases[] = {
    {"as it noted itself", "5f1c-17", 1, {.incident = {0x5f1c, 17}, .pid = 2}, true},
    {"another incident, though the number of the process is the same",
     "5f1c-16",
     2,
     {.incident = {0x5f1c, 17}, .pid = 2},
     false},
    {"it noted nothing", NULL, 2, {.incident = {7, 1}, .pid = 2, .wall_ns = 4999}, true},
    {"what it noted is not ours", "busy", 2, {.incident = {7, 1}, .pid = 2}, true},
    {"it ended before the stall began",
     NULL,
     2,
     {.incident = {7, 1}, .pid = 2, .wall_ns = 5001},
     false},
    {"another process", NULL, 3, {.incident = {7, 1}, .pid = 2}, false},
    {"of an older version, without the number", NULL, 0, {.incident = {7, 1}}, false},
};

EACH_ROW(exits, join_their_stall, cases);

ParameterizedTest(size_t *row, exits, join_their_stall)
{
    const struct joins_case *c = &cases[*row];
    struct mon_event event;

    add(c->pid, c->noted, "timed out");
    cr_expect(eq(int, join(&c->stall, "timed out"), c->is_joined), "%s", c->what);
    cr_expect(eq(int, watch_exits_take(&all, &event, names), !c->is_joined), "%s", c->what);
    cr_expect(not(watch_exits_take(&all, &event, names)), "%s", c->what);
}

Test(exits, of_two_stalls_are_two)
{
    const struct spool_head first = {.incident = {7, 1}, .pid = 2};
    const struct spool_head second = {.incident = {8, 1}, .pid = 2};

    add(2, NULL, "one");
    cr_assert(join(&first, "one"));
    cr_assert(not(join(&second, "one")));
}

Test(exits, of_no_stall_are_told_with_all_that_is_known)
{
    struct mon_event event;

    add(2, "5f1c-17", "timed out");
    add(3, NULL, NULL);
    cr_assert(watch_exits_take(&all, &event, names));
    cr_assert(eq(u32, event.kind, MON_EXIT));
    cr_assert(eq(u64, event.exit.start, 0x5f1c));
    cr_assert(eq(u32, event.exit.number, 17));
    cr_assert(eq(u32, event.exit.pid, 2));
    cr_assert(eq(i64, event.exit.wall_ns, 5000));
    cr_assert(is_named(event.exit.reason, "timed out"));
    cr_assert(is_named(event.exit.trace, "\"main\""));
    cr_assert(watch_exits_take(&all, &event, names));
    cr_assert(eq(u32, event.exit.number, 0));
    cr_assert(eq(u32, event.exit.reason, 0));
    cr_assert(not(watch_exits_take(&all, &event, names)));
}

Test(exits, that_are_published_are_not_told_again)
{
    const struct spool_incident own = {5000, 3};
    const struct spool_incident stall = {0x5f1c, 17};
    const struct spool_incident nothing = {0, 0};
    struct mon_event event;

    add(2, "5f1c-17", "its stall is there");
    add(3, NULL, "it is there itself");
    add(4, NULL, "left");
    watch_exits_drop_published(&all, stall);
    watch_exits_drop_published(&all, own);
    watch_exits_drop_published(&all, nothing);
    cr_assert(not(watch_exits_are_over(&all)));
    cr_assert(watch_exits_take(&all, &event, names));
    cr_assert(eq(u32, event.exit.pid, 4));
    cr_assert(watch_exits_are_over(&all));
    cr_assert(not(watch_exits_take(&all, &event, names)));
}

Test(exits, beyond_the_room_are_left_out)
{
    struct mon_event event;
    uint32_t count = 0;

    for (uint32_t i = 0; i < WATCH_EXIT_COUNT + 3; i++) {
        add(i, NULL, "many");
    }
    while (watch_exits_take(&all, &event, names)) {
        count++;
    }
    cr_assert(eq(u32, count, WATCH_EXIT_COUNT));
}
