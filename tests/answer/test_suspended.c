/* Which calls of suspend functions are resumptions. The names are those that Kotlin 1.3 to 2.1 gave
 * the functions of kotlinx.coroutines, of Ktor's client and of tests/jvm/frameworks. */

#include "abi/methodmap.h"
#include "answer/model.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#define MS UINT64_C(1000000)
#define NONE ABI_PROFILE_NO_NODE
#define CALLS 7

/* A function, the class whose invokeSuspend calls it, and a method between them, or NULL. */
struct suspended_case {
    const char *function;
    const char *caller;
    const char *between;
    bool is_resumed;
};

static const struct suspended_case cases[] = {
    {"1,17,a.Yield yield", "a.Yield$yield$1", NULL, true},
    {"1,17,a.Yield yield", "a.Yield$yield$1", "a.Yield access$yield", true},
    {"1,17,a.Yield yield", "a.Yield$other$1", NULL, false},
    {"1,17,a.Yield yield", "a.Yield$yieldAll$1", NULL, false},
    {"1,17,a.Yield yield", "a.YieldKt$yield$1", NULL, false},
    {"1,17,a.Yield yield", "a.Yield$yield$1", "a.Yield other", false},
    {"1,4104,a.Deferred await$suspendImpl", "a.Deferred$await$1", NULL, true},
    {"1,4104,a.Deferred await$suspendImpl", "a.Deferred$awaitAll$1", NULL, false},
    {"1,18,a.Channel receiveOnce-GKJJFZk", "a.Channel$receiveOnce$1",
     "a.Channel access$receiveOnce-GKJJFZk", true},
    {"1,4104,a.Channel receiveCatching-JP2dKIU$suspendImpl", "a.Channel$receiveCatching$1", NULL,
     true},
    {"1,17,a.Client execute$ktor_client_core", "a.Client$execute$1", NULL, true},
    {"1,4104,a.Client execute-JP2dKIU$app_debug$suspendImpl", "a.Client$execute$1", NULL, true},
    {"1,17,a.Numbers add-Wb3-L9Y", "a.Numbers$add$1", NULL, true},
    {"1,17,a.Numbers add-Wb3-L9Y", "a.Numbers$other$1", NULL, false},
    {"1,9,a.Number add-impl", "a.Number$add$1", NULL, true},
    {"1,17,a.Client two-words", "a.Client$two-words$1", NULL, true},
    {"1,9,a.Channel$DefaultImpls receiveOrNull", "a.Channel$receiveOrNull$1", NULL, true},
    {"1,9,a.Channel$DefaultImpls receiveOrNull", "a.Channel$DefaultImpls$receiveOrNull$1", NULL,
     true},
    {"1,25,a.FlowKt count", "a.FlowKt__CountKt$count$3", NULL, true},
    {"1,25,a.FlowKt count", "a.FlowKt__CountKt$countAll$3", NULL, false},
    {"1,25,a.FlowKt__CountKt count", "a.FlowKt__CountKt$count$3", "a.FlowKt count", true},
    {"1,25,a.FlowKt__CountKt count", "a.FlowKt__CountKt$count$3", "a.Flow count", false},
    {"1,26,a.FlowKt__ChannelsKt emitAllImpl$FlowKt__ChannelsKt",
     "a.FlowKt__ChannelsKt$emitAllImpl$1",
     "a.FlowKt__ChannelsKt access$emitAllImpl$FlowKt__ChannelsKt", true},
    {"1,26,a.MainKt outer$local", "a.MainKt$outer$local$1", NULL, true},
    {"1,26,a.MainKt outer$local", "a.MainKt$outer$1", NULL, false}, /* a lambda of outer */
    {"1,26,a.MainKt outer", "a.MainKt$outer$local$1", NULL, false},
};

static struct answer_trace trace;
static struct answer_model model;

TestSuite(suspended, .init = bench_begin, .fini = bench_end);

static void write_map(const struct suspended_case *one)
{
    static const char suspends[] = "(ILkotlin.coroutines.Continuation;)Ljava.lang.Object;";
    char text[512];

    (void)snprintf(
        text, sizeof(text),
        "%s %s\n2,17,%s invokeSuspend (Ljava.lang.Object;)Ljava.lang.Object;\n3,25,%s %s\n",
        one->function, suspends, one->caller, one->between != NULL ? one->between : "a.Main run",
        suspends);
    bench_write_text("map", text);
}

static void write_trace(bool is_between)
{
    static const struct abi_profile_thread row = {
        .name = "main", .last_time = 1000 * MS, .cpu_time = 1000 * MS, .thread_count = 1};
    const struct abi_profile_node nodes[] = {
        {NONE, 2, 0, 0, .calls = CALLS, .total = 900 * MS, .child_total = 800 * MS},
        {0, is_between ? 3 : 1, 0, 0, .calls = CALLS, .total = 800 * MS},
        {1, 1, 0, 0, .calls = CALLS, .total = 700 * MS},
    };

    bench_write_trace("t", NULL, 0, 0);
    bench_add_profile("t", &(struct bench_profile){.threads = &row,
                                                   .thread_count = 1,
                                                   .nodes = nodes,
                                                   .node_count = is_between ? 3 : 2});
}

static void build(const struct suspended_case *one)
{
    const struct answer_options options = {.threshold_ns = 1};

    write_map(one);
    write_trace(one->between != NULL);
    char map[256];
    (void)snprintf(map, sizeof(map), "%s", bench_path("map"));
    const struct answer_source source = {.path = bench_path("t"), .map.file = map};
    cr_assert(eq(int, answer_trace_load(&trace, &source, NULL), MB_OK));
    cr_assert(eq(int, answer_model_build(&model, &trace, &options, NULL, NULL), MB_OK));
}

Test(suspended, a_class_of_its_own_resumes_a_function)
{
    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        build(&cases[i]);
        const struct answer_suspended *found = answer_find_suspended(&model.facts.methods, 1);
        cr_assert(found != NULL, "%zu", i);
        cr_expect(eq(u64, found->resumed, cases[i].is_resumed ? CALLS : 0), "%s by %s",
                  cases[i].function, cases[i].caller);
        answer_model_finish(&model);
        answer_trace_finish(&trace);
        model = (struct answer_model){0};
        trace = (struct answer_trace){0};
    }
}
