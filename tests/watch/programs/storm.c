/* Monitors that start and stop from many threads, with more loops than there is room for.
 *
 * usage: storm [STARTS] */

#include "monitor/watch/methodbeat_watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STARTERS 8
#define LOOPS 16

static _Atomic(bool) is_over;
static _Atomic(int) released;

static void hear(void *context, const struct watch_issue *issue)
{
    (void)context;
    (void)issue;
}

static void release(void *context)
{
    (void)context;
    atomic_fetch_add(&released, 1);
}

static void take_stack(void *context, struct watch_stack *stack)
{
    (void)context;
    watch_stack_add(stack, "storm.work");
    watch_stack_add(stack, "storm.main");
}

static void ping(void *context, uint32_t request)
{
    (void)context;
    (void)request; /* never comes back */
}

static void sleep_us(long us)
{
    const struct timespec time = {.tv_nsec = us * 1000};

    (void)nanosleep(&time, NULL);
}

static void *run_loop(void *unused)
{
    const struct watch_loop who = {
        .name = "storm", .ping = ping, .stack = take_stack, .release = release};

    (void)watch_describe_loop(&who);
    for (int i = 0; !atomic_load(&is_over); i++) {
        watch_begin();
        if (i % 64 == 0) {
            sleep_us(i % 512 == 0 ? 20000 : 100);
        }
        watch_end();
    }
    return unused;
}

static void *start_and_stop(void *starts)
{
    for (int i = 0; i < *(const int *)starts; i++) {
        struct watch_counters counters;
        (void)watch_start();
        watch_begin();
        watch_scene(i % 2 == 0 ? "even" : "odd", i % 3 != 0);
        (void)watch_set("evil_ms", i % 2 == 0 ? "10" : "700");
        watch_end();
        (void)watch_listen(hear, starts);
        watch_read_counters(&counters);
        watch_unlisten(hear, starts);
        (void)watch_is_running();
        watch_stop();
    }
    return NULL;
}

int main(int count, char **values)
{
    int starts = (int)(count > 1 ? strtol(values[1], NULL, 10) : 1000) / STARTERS;
    pthread_t starters[STARTERS];
    pthread_t loops[LOOPS];
    struct watch_counters counters;

    (void)watch_set("stall_ms", "10");
    for (int i = 0; i < LOOPS; i++) {
        if (pthread_create(&loops[i], NULL, run_loop, NULL) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < STARTERS; i++) {
        if (pthread_create(&starters[i], NULL, start_and_stop, &starts) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < STARTERS; i++) {
        (void)pthread_join(starters[i], NULL);
    }
    bool has_ended = !watch_is_running();
    atomic_store(&is_over, true);
    for (int i = 0; i < LOOPS; i++) {
        (void)pthread_join(loops[i], NULL);
    }
    watch_read_counters(&counters);
    (void)printf("%llu starts, %llu messages, %llu looks, %d loops released\n",
                 (unsigned long long)counters.starts, (unsigned long long)counters.messages,
                 (unsigned long long)counters.looks, atomic_load(&released));
    return has_ended && counters.starts > 0 && atomic_load(&released) <= LOOPS ? 0 : 1;
}
