/* Which calls are idle loops: those of threads that wait for work, not of threads that hang. */

#include "answer/model.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#define MS UINT64_C(1000000)
#define NONE ABI_PROFILE_NO_NODE
#define END (10000 * MS)
#define KNOWN (ABI_PROFILE_BOUNDS | ABI_PROFILE_READY)
#define LIFE .last_time = END, .cpu_time = END, .thread_count = 1

/* Calls in units of a ms: one that runs since the thread began, less what came back to it; one that
 * came back; and the wait of a worker that was away for 200 ms. What is their own they waited. */
#define RUNS(parent, id, waited, inner)                                                        \
    {                                                                                          \
        parent, id, 0, .open_since = 1, .child_total = (inner)*MS, .waited_least = (waited)*MS \
    }
#define CAME(parent, id, count, ms)                                                      \
    {                                                                                    \
        parent, id, 0, .calls = (count), .total = (ms)*MS, .longest = (ms)*MS / (count), \
                       .waited_least = (ms)*MS                                           \
    }
#define WAIT(parent, id, waited, inner)                                                           \
    {                                                                                             \
        parent, id, 0, .calls = 1, .total = 5000 * MS, .child_total = (inner)*MS,                 \
                       .longest = 5000 * MS, .open_since = 5200 * MS, .waited_least = (waited)*MS \
    }

/* A body that ended, and that number of requests below it. */
#define DID(count)                                                                             \
    {NONE,                                                                                     \
     1,                                                                                        \
     0,                                                                                        \
     ABI_PROFILE_BODY,                                                                         \
     .calls = 1,                                                                               \
     .total = 9000 * MS,                                                                       \
     .child_total = 900 * MS,                                                                  \
     .longest = 9000 * MS,                                                                     \
     .waited_least = 7000 * MS},                                                               \
    {                                                                                          \
        0, 2, 0, ABI_PROFILE_REQUEST, .calls = (count), .total = 900 * MS, .longest = 900 * MS \
    }

/* A thread beside one that works, and the methods of its idle loop. */
struct idle_case {
    const char *name;
    uint32_t flags;
    uint64_t waited_ms;
    struct abi_profile_node nodes[4]; /* up to the first without an id */
    const char *expected;
};

static const struct idle_case cases[] = {
    {"acceptor", KNOWN, 9990, {RUNS(NONE, 1, 9990, 0)}, "1 "},
    {"main", KNOWN, 9990, {RUNS(NONE, 1, 9990, 0)}, ""},
    {"other", KNOWN | ABI_PROFILE_MAIN, 9990, {RUNS(NONE, 1, 9990, 0)}, ""},
    {"acceptor", ABI_PROFILE_BOUNDS, 9990, {RUNS(NONE, 1, 9990, 0)}, ""},
    {"busy", KNOWN, 8000, {RUNS(NONE, 1, 8000, 0)}, ""},
    {"later", KNOWN, 9990, {CAME(NONE, 3, 1, 5), RUNS(NONE, 1, 9990, 0)}, ""},
    {"sweeper", KNOWN, 9300, {RUNS(NONE, 1, 9300, 700), CAME(0, 2, 180, 700)}, "1 "},
    {"poller", KNOWN, 9990, {RUNS(NONE, 1, 10, 9980), CAME(0, 2, 12, 9980)}, "1 2 "},
    {"worker",
     KNOWN,
     9700,
     {RUNS(NONE, 1, 0, 5200), WAIT(0, 2, 9700, 0), CAME(0, 3, 1, 200)},
     "1 2 "},
    {"deeper",
     KNOWN,
     9700,
     {RUNS(NONE, 1, 0, 5200), WAIT(0, 2, 0, 5000), WAIT(1, 4, 9700, 0), CAME(0, 3, 1, 200)},
     "1 2 4 "},
    {"job", KNOWN, 9990, {RUNS(NONE, 1, 0, 0), RUNS(0, 2, 9990, 0)}, ""},
    {"pool", KNOWN, 7000, {DID(40)}, "1 "},
    {"main", KNOWN, 7000, {DID(40)}, ""},
    {"batch", KNOWN, 7000, {DID(3)}, ""},
    {"job", KNOWN, 9990, {RUNS(NONE, 1, 0, 5), CAME(0, 3, 9, 5), RUNS(0, 2, 9985, 0)}, ""},
};

static struct answer_trace trace;
static struct answer_model model;

TestSuite(idle, .init = bench_begin, .fini = bench_end);

static void build(const struct bench_profile *profile)
{
    const struct answer_options options = {.threshold_ns = 1};

    bench_write_trace("t", NULL, 0, 0);
    bench_add_profile("t", profile);
    const struct answer_source source = {.path = bench_path("t")};
    cr_assert(eq(int, answer_trace_load(&trace, &source, NULL), MB_OK));
    cr_assert(eq(int, answer_model_build(&model, &trace, &options, NULL, NULL), MB_OK));
}

/* The methods of the idle loops, thread by thread. */
static void put_idle(char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < model.facts.threads.count; i++) {
        const struct answer_thread *thread = &model.facts.threads.rows[i];
        for (size_t k = 0; k < thread->idle_count; k++) {
            used += (size_t)snprintf(text + used, size - used, "%u ", thread->idle_ids[k]);
        }
    }
}

static void expect_idle(const struct bench_profile *profile, const char *expected)
{
    char text[256] = "";

    build(profile);
    put_idle(text, sizeof(text));
    cr_expect(eq(int, strcmp(text, expected), 0), "%s: %s", profile->threads[0].name, text);
    answer_model_finish(&model);
    answer_trace_finish(&trace);
    model = (struct answer_model){0};
    trace = (struct answer_trace){0};
}

static void expect_case(const struct idle_case *one, const struct abi_profile_node *beside)
{
    struct abi_profile_thread rows[] = {
        {LIFE, .flags = one->flags, .waited_least = one->waited_ms * MS},
        {LIFE, .name = "beside", .flags = KNOWN, .waited_least = beside->waited_least},
    };
    struct abi_profile_node nodes[MB_COUNT(one->nodes) + 1];
    size_t count = 0;

    (void)snprintf(rows[0].name, sizeof(rows[0].name), "%s", one->name);
    while (count < MB_COUNT(one->nodes) && one->nodes[count].id != 0) {
        nodes[count] = one->nodes[count];
        count++;
    }
    nodes[count] = *beside;
    expect_idle(&(struct bench_profile){rows, 2, nodes, count + 1, NULL, 0, 0, 0, 0},
                one->expected);
}

Test(idle, a_loop_was_seen_to_go_round_and_a_thread_that_hangs_was_not)
{
    static const struct abi_profile_node working = {NONE, 9, 1, .calls = 5, .total = 5000 * MS};

    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        expect_case(&cases[i], &working);
    }
}

/* The program did nothing else: it was idle. */
Test(idle, loops_are_idle_where_nothing_else_is_left)
{
    static const struct abi_profile_node accepting = {NONE, 9, 1, .open_since = 1,
                                                      .waited_least = 9990 * MS};
    static const struct idle_case beside = {"main", KNOWN, 9990, {RUNS(NONE, 1, 9990, 0)}, "9 "};

    expect_case(&beside, &accepting);
}

/* What one worker shows is so of those beside it, which have had no work. */
Test(idle, threads_of_one_name_share_what_is_known)
{
    static const struct abi_profile_thread rows[] = {
        {LIFE, .name = "worker-1", .flags = KNOWN, .waited_least = 9900 * MS},
        {LIFE, .name = "worker-2", .flags = KNOWN, .waited_least = 9990 * MS},
        {LIFE, .name = "other", .flags = KNOWN, .waited_least = 9990 * MS},
    };
    static const struct abi_profile_node nodes[] = {
        RUNS(NONE, 1, 0, 5200),
        WAIT(0, 2, 9700, 0),
        CAME(0, 3, 1, 200),
        {NONE, 1, 1, .open_since = 1},
        {3, 2, 1, .open_since = 1, .waited_least = 9990 * MS},
        {NONE, 1, 2, .open_since = 1},
        {5, 2, 2, .open_since = 1, .waited_least = 9990 * MS},
    };

    expect_idle(&(struct bench_profile){rows, 3, nodes, MB_COUNT(nodes), NULL, 0, 0, 0, 0},
                "1 2 1 2 ");
}
