/* What one watch_begin and watch_end cost with nothing wrong, in nanoseconds, beside an empty pair
 * of calls into a shared library: while the monitors run, alone and with a recorder beside them,
 * and while they do not. All variants take turns within each round.
 *
 * usage: bench_messages [ROUNDS] */
#include "base/clock.h"
#include "empty.h"
#include "monitor/watch/methodbeat_watch.h"
#include "recorder/methodbeat.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX_ROUNDS 100
#define CHUNK 20000u /* pairs; shorter than a time slice */
#define CHUNKS 25

static void run_empty(void)
{
    for (uint32_t i = 0; i < CHUNK; i++) {
        empty_i(7);
        empty_o(7);
    }
}

static void run_watch(void)
{
    for (uint32_t i = 0; i < CHUNK; i++) {
        watch_begin();
        watch_end();
    }
}

static void run_clock(void)
{
    for (uint32_t i = 0; i < CHUNK; i++) {
        (void)mb_clock_now_ns();
        (void)mb_clock_now_ns();
    }
}

static void be_still(void)
{
}

static void start(void)
{
    (void)watch_start();
}

static void start_both(void)
{
    struct beat_options options;

    beat_options_init(&options);
    (void)beat_start(&options);
    (void)watch_start();
}

static void stop(void)
{
    watch_stop();
    beat_stop();
}

struct variant {
    const char *name;
    void (*start)(void);
    void (*run)(void);
    void (*stop)(void);
    double ns[MAX_ROUNDS];
};

static struct variant variants[] = {
    {.name = "empty pair of calls", .start = be_still, .run = run_empty, .stop = be_still},
    {.name = "two readings of CLOCK_MONOTONIC",
     .start = be_still,
     .run = run_clock,
     .stop = be_still},
    {.name = "begin + end, not started", .start = be_still, .run = run_watch, .stop = be_still},
    {.name = "begin + end", .start = start, .run = run_watch, .stop = stop},
    {.name = "begin + end, recorded", .start = start_both, .run = run_watch, .stop = stop},
};

#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

/* The best of many short stretches: what others took of the machine is not ours. */
static double measure(const struct variant *variant)
{
    double best = 1e30;

    variant->start();
    variant->run();
    for (int i = 0; i < CHUNKS; i++) {
        int64_t begin = mb_clock_now_ns();
        variant->run();
        double took = (double)(mb_clock_now_ns() - begin) / CHUNK;
        best = took < best ? took : best;
    }
    variant->stop();
    return best;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

int main(int count, char **values)
{
    int rounds = count > 1 ? (int)strtol(values[1], NULL, 10) : 21;

    rounds = rounds < 1 ? 1 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < VARIANTS; i++) {
            variants[i].ns[round] = measure(&variants[i]);
        }
    }
    for (size_t i = 0; i < VARIANTS; i++) {
        qsort(variants[i].ns, (size_t)rounds, sizeof(double), compare);
        (void)printf("%-34s %6.1f ns (%.1f to %.1f)\n", variants[i].name,
                     variants[i].ns[rounds / 2], variants[i].ns[0], variants[i].ns[rounds - 1]);
    }
    return 0;
}
