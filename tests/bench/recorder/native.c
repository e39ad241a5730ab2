/* What one i and o pair costs in C, in nanoseconds, beside an empty pair of calls into a shared
 * library and beside two bare reads of the counter. All variants take turns within each round.
 *
 * usage: bench_native [ROUNDS] */
#include "base/clock.h"
#include "empty.h"
#include "recorder/counter.h"
#include "recorder/methodbeat.h"

#include <float.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MAX_ROUNDS 100

#define CHUNK 200000u /* pairs; shorter than a time slice */
#define CHUNKS 25

static uint64_t sink;

static void run_empty(void)
{
    for (uint32_t i = 0; i < CHUNK; i++) {
        empty_i(7);
        empty_o(7);
    }
}

static void run_counter(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < CHUNK; i++) {
        sum += beat_counter();
        sum ^= beat_counter();
    }
    sink = sum;
}

static void run_beat(void)
{
    for (uint32_t i = 0; i < CHUNK; i++) {
        beat_i(7);
        beat_o(7);
    }
}

static _Atomic(bool) over;

static void *run_until_over(void *unused)
{
    while (!over) {
        run_beat();
    }
    return unused;
}

struct variant {
    const char *name;
    void (*run)(void);
    bool records;
    enum beat_clock clock;
    bool in_file;
    bool beside_another; /* while a second thread does the same */
    double ns[MAX_ROUNDS];
};

enum {
    EMPTY,
    COUNTER_READS,
    COARSE,
    COARSE_FILE,
    COUNTER,
    COUNTER_FILE,
    COARSE_THREADS,
    COUNTER_THREADS,
};

#define RECORDS .run = run_beat, .records = true

static struct variant variants[] = {
    [EMPTY] = {"empty calls", .run = run_empty},
    [COUNTER_READS] = {"two counter reads", .run = run_counter},
    [COARSE] = {"coarse", RECORDS, .clock = BEAT_CLOCK_COARSE},
    [COARSE_FILE] = {"coarse, file", RECORDS, .clock = BEAT_CLOCK_COARSE, .in_file = true},
    [COUNTER] = {"counter", RECORDS},
    [COUNTER_FILE] = {"counter, file", RECORDS, .in_file = true},
    [COARSE_THREADS] = {"coarse, two threads", RECORDS, .clock = BEAT_CLOCK_COARSE,
                        .beside_another = true},
    [COUNTER_THREADS] = {"counter, two threads", RECORDS, .beside_another = true},
};

#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

static void start_recorder(const struct variant *v, const char *path)
{
    struct beat_options options;

    beat_options_init(&options);
    options.file = v->in_file ? path : NULL;
    options.clock = v->clock;
    options.threads = BEAT_THREADS_ALL;
    options.max_threads = 1;
    (void)beat_start(&options);
    for (uint32_t i = 0; i < options.main_words; i++) {
        beat_i(7); /* pages are paid once, not per record */
    }
}

/* The best chunk: the others shared the CPU with somebody. */
static double best_chunk(const struct variant *v)
{
    double best = DBL_MAX;

    for (int i = 0; i < CHUNKS; i++) {
        int64_t start = mb_clock_now_ns();
        v->run();
        double took = (double)(mb_clock_now_ns() - start) / CHUNK;
        best = took < best ? took : best;
    }
    return best;
}

static double measure(const struct variant *v, const char *path)
{
    pthread_t other;

    if (v->records) {
        start_recorder(v, path);
    }
    over = false;
    if (v->beside_another) {
        (void)pthread_create(&other, NULL, run_until_over, NULL);
    }
    double best = best_chunk(v);
    over = true;
    if (v->beside_another) {
        (void)pthread_join(other, NULL);
    }
    beat_stop();
    return best;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_ratio(const char *what, int variant, int base, int rounds, double goal)
{
    double ratios[MAX_ROUNDS];

    for (int r = 0; r < rounds; r++) {
        ratios[r] = variants[variant].ns[r] / variants[base].ns[r];
    }
    qsort(ratios, (size_t)rounds, sizeof(ratios[0]), compare);
    double median = ratios[rounds / 2];
    (void)printf("%-44s %6.2f   goal %.2f  %s\n", what, median, goal,
                 median <= goal ? "met" : "miss");
}

static void print_times(int rounds)
{
    (void)printf("%-24s %8s %8s\n", "ns per i+o pair", "min", "median");
    for (size_t v = 0; v < VARIANTS; v++) {
        double sorted[MAX_ROUNDS];
        for (int r = 0; r < rounds; r++) {
            sorted[r] = variants[v].ns[r];
        }
        qsort(sorted, (size_t)rounds, sizeof(sorted[0]), compare);
        (void)printf("%-24s %8.2f %8.2f\n", variants[v].name, sorted[0], sorted[rounds / 2]);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 9;
    char path[] = "/tmp/mb_benchXXXXXX";
    int fd = mkstemp(path);

    rounds = rounds < 1 ? 1 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
    for (int r = 0; r < rounds; r++) {
        for (size_t v = 0; v < VARIANTS; v++) {
            variants[v].ns[r] = measure(&variants[v], path);
        }
    }
    (void)close(fd);
    (void)unlink(path);
    print_times(rounds);
    print_ratio("coarse / empty calls", COARSE, EMPTY, rounds, 1.2);
    print_ratio("counter / two counter reads", COUNTER, COUNTER_READS, rounds, 1.1);
    print_ratio("coarse, two threads / one", COARSE_THREADS, COARSE, rounds, 1 / 0.95);
    print_ratio("counter, two threads / one", COUNTER_THREADS, COUNTER, rounds, 1 / 0.95);
    return 0;
}
