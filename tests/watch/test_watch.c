#include "monitor/watch/methodbeat_watch.h"
#include "tests/watch/programs/lives.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEPT 16

/* What the listener heard. */
struct heard {
    pthread_mutex_t lock;
    int count;
    char details[KEPT][16];
    char json[KEPT][16384];
};

static struct heard heard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void hear(void *context, const struct watch_issue *issue)
{
    struct heard *h = context;

    (void)pthread_mutex_lock(&h->lock);
    if (h->count < KEPT) {
        (void)snprintf(h->details[h->count], sizeof(h->details[0]), "%s", issue->detail);
        (void)snprintf(h->json[h->count], sizeof(h->json[0]), "%s", issue->json);
    }
    h->count++;
    (void)pthread_mutex_unlock(&h->lock);
}

/* A machine that is busy makes short ones long: what is to be slow is so by far. */
static void start(void)
{
    cr_assert(watch_set("evil_ms", "200"));
    cr_assert(watch_set("often", ""));
    cr_assert(watch_set("cpu_enable", "off"));
    cr_assert(watch_set("stall_ms", "300:600000"));
    cr_assert(watch_set("gap_ms", "600000"));
    cr_assert(watch_listen(hear, &heard));
    cr_assert(watch_start());
}

/* Where a message that a busy machine makes long would be wrong. */
static void tell_no_slow_messages(void)
{
    watch_stop();
    cr_assert(watch_set("evil_enable", "off"));
    cr_assert(watch_start());
}

TestSuite(watch, .init = start, .fini = watch_stop, .timeout = 60);

Test(watch, tells_a_slow_message_once)
{
    lives_message(250);
    watch_stop();
    cr_assert(eq(int, heard.count, 1));
    cr_assert_str_eq(heard.details[0], "NORMAL");
}

Test(watch, says_nothing_of_rest)
{
    cr_assert(watch_set("stall_ms", "300:5000"));
    tell_no_slow_messages();
    lives_message(0);
    lives_sleep_ms(300);
    watch_stop();
    cr_assert(eq(int, heard.count, 0));
}

static const char *describe(void *context)
{
    return context;
}

Test(watch, says_what_a_slow_message_was)
{
    char text[] = "a.b.Task: 7";

    watch_begin();
    lives_sleep_ms(250);
    watch_end_as(describe, text);
    watch_stop();
    cr_assert(eq(int, heard.count, 1));
    cr_assert_not_null(strstr(heard.json[0], text), "%s", heard.json[0]);
}

Test(watch, runs_once_and_stops_once)
{
    cr_assert(watch_is_running());
    cr_assert(watch_start());
    watch_stop();
    watch_stop();
    cr_assert(not(watch_is_running()));
    cr_assert(watch_start());
    cr_assert(watch_is_running());
}

Test(watch, does_not_listen_when_stopped)
{
    watch_stop();
    lives_message(250);
    cr_assert(watch_start());
    watch_stop();
    cr_assert(eq(int, heard.count, 0));
}

Test(watch, ignores_ends_alone)
{
    struct watch_counters counters;

    lives_message(0);
    watch_end();
    watch_end();
    watch_read_counters(&counters);
    cr_assert(eq(u64, counters.ends_alone, 2));
    cr_assert(eq(u64, counters.messages, 1));
}

Test(watch, counts_what_is_too_deep)
{
    struct watch_counters counters;

    for (int i = 0; i < 10; i++) {
        watch_begin();
    }
    cr_assert(eq(u32, watch_depth(), 10));
    watch_unwind(1);
    cr_assert(eq(u32, watch_depth(), 1));
    watch_end();
    watch_read_counters(&counters);
    cr_assert(eq(u64, counters.deep_messages, 2));
    cr_assert(eq(u64, counters.ends_alone, 0));
}

Test(watch, tells_a_stall_when_stopped_in_it)
{
    cr_assert(watch_set("stall_ms", "20:200"));
    lives_sleep_ms(20);
    watch_begin();
    lives_sleep_ms(400);
    watch_stop();
    cr_assert(eq(int, heard.count, 1));
    cr_assert_str_eq(heard.details[0], "LAG");
    cr_assert_not_null(strstr(heard.json[0], "\"ended\":\"stopped\""), "%s", heard.json[0]);
}

static void hear_and_stop(void *context, const struct watch_issue *issue)
{
    (void)issue;
    watch_stop();
    atomic_store((_Atomic(bool) *)context, true);
}

Test(watch, is_stopped_by_its_listener)
{
    static _Atomic(bool) has_stopped;

    cr_assert(watch_listen(hear_and_stop, &has_stopped));
    lives_message(250);
    while (!atomic_load(&has_stopped)) {
        lives_sleep_ms(1);
    }
    cr_assert(not(watch_is_running()));
    watch_unlisten(hear_and_stop, &has_stopped);
    cr_assert(watch_start());
}

Test(watch, refuses_settings_that_are_none)
{
    cr_assert(not(watch_set("evil", "1")));
    cr_assert(not(watch_set("evil_ms", "soon")));
    cr_assert(watch_set("clicfg_matrix_trace_evil_method_threshold", "30"));
}

/* ---- A loop that can be asked ---- */

static _Atomic(uint32_t) asked;

static void ask(void *context, uint32_t request)
{
    (void)context;
    atomic_store(&asked, request);
}

static void answer(void)
{
    watch_pong(atomic_exchange(&asked, 0));
}

static _Atomic(int) stacks;

static void take_stack(void *context, struct watch_stack *stack)
{
    (void)context;
    watch_stack_add(stack, "a.b.C.burn");
    atomic_fetch_add(&stacks, 1);
}

static int64_t used_ms(void)
{
    struct timespec used;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

/* Until the watcher has noticed, and then long enough for a lag. */
static void burn(void)
{
    while (atomic_load(&stacks) == 0) {
    }
    for (int64_t end = used_ms() + 200; used_ms() < end;) {
    }
}

Test(watch, finds_a_stall_outside_messages)
{
    const struct watch_loop who = {.name = "asked", .ping = ask, .stack = take_stack};

    cr_assert(watch_set("stall_ms", "20:100"));
    tell_no_slow_messages();
    cr_assert(watch_describe_loop(&who));
    burn();
    answer();
    watch_stop();
    cr_assert(eq(int, heard.count, 1));
    cr_assert_not_null(strstr(heard.json[0], "(outside messages)"), "%s", heard.json[0]);
    cr_assert_not_null(strstr(heard.json[0], "\"loop\":\"asked\""), "%s", heard.json[0]);
}

/* A ping that is back is no reason for the next one. */
Test(watch, leaves_a_loop_at_rest_alone)
{
    const struct watch_loop who = {.name = "asked", .ping = ask};
    struct watch_counters counters;

    cr_assert(watch_set("stall_ms", "20"));
    tell_no_slow_messages();
    cr_assert(watch_describe_loop(&who));
    lives_message(1);
    for (int i = 0; i < 50; i++) {
        lives_sleep_ms(10);
        if (atomic_load(&asked) != 0) {
            answer();
        }
    }
    watch_read_counters(&counters);
    cr_assert(eq(int, heard.count, 0));
    cr_assert(gt(u64, counters.looks, 0));
}

/* A stack whose names are found once the message is over. */
static _Atomic(bool) is_over;

static void name_late(void *context, struct watch_stack *stack)
{
    if (*(const bool *)context) {
        watch_stack_taken(stack);
    }
    atomic_fetch_add(&stacks, 1);
    while (!atomic_load(&is_over)) {
        lives_sleep_ms(1);
    }
    watch_stack_add(stack, "a.b.C.work");
    watch_stack_add(stack, "a.b.C.main");
}

static bool explains(bool tells_when)
{
    const struct watch_loop who = {.stack = name_late, .context = &tells_when};

    cr_assert(watch_set("stall_ms", "20"));
    cr_assert(watch_describe_loop(&who));
    watch_begin();
    while (atomic_load(&stacks) == 0) {
        lives_sleep_ms(1);
    }
    lives_sleep_ms(250);
    watch_end();
    atomic_store(&is_over, true);
    watch_stop();
    cr_assert(eq(int, heard.count, 1));
    return strstr(heard.json[0], "a.b.C.work") != NULL;
}

Test(watch, a_stack_is_of_the_time_that_it_was_taken)
{
    cr_assert(explains(true), "%s", heard.json[0]);
}

Test(watch, a_stack_that_comes_late_explains_nothing)
{
    cr_assert(not(explains(false)), "%s", heard.json[0]);
}
