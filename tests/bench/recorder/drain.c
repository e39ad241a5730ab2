/* What it costs to fill a profile: the CPU time of all threads but the writer, for one writer at a
 * given rate, first with every word recorded, then after the throttle has muted what is hot.
 *
 * usage: bench_drain [MILLION_WORDS_PER_SECOND [SECONDS]] */
#include "recorder/methodbeat.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define METHODS 2000u
#define WORDS_A_UNIT 42.0

static double read_clock(clockid_t clock)
{
    struct timespec now;

    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double others_cpu(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID) - read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* 21 calls, five deep, of methods that vary from unit to unit as those of a program do. */
static void work(uint32_t unit)
{
    uint32_t first = 10 + unit * 7 % METHODS;

    beat_i(first);
    for (uint32_t i = 0; i < 4; i++) {
        beat_i(first + 1);
        for (uint32_t k = 0; k < 2; k++) {
            beat_i(first + 2 + k);
            beat_i(5);
            beat_o(5);
            beat_o(first + 2 + k);
        }
        beat_o(first + 1);
    }
    beat_o(first);
}

static void run(enum beat_switch throttle, double words_per_second, double seconds)
{
    struct beat_options options;
    double unit_seconds = WORDS_A_UNIT / words_per_second;
    uint32_t units = 0;

    beat_options_init(&options);
    options.profile = BEAT_ON;
    options.throttle = throttle;
    options.main_thread = (int32_t)getpid();
    if (!beat_start(&options)) {
        exit(1);
    }
    beat_i(1);
    double settled = 0;
    double cpu = 0;
    double start = read_clock(CLOCK_MONOTONIC);
    double now = start;
    while (now < start + seconds) {
        work(units++);
        /* Behind the plan after a pause: go on from there. */
        while ((now = read_clock(CLOCK_MONOTONIC)) < start + settled + units * unit_seconds) {
        }
        if (cpu == 0 && now > start + seconds / 2) {
            cpu = others_cpu();
        }
    }
    cpu = others_cpu() - cpu;
    beat_o(1);
    (void)beat_dump("/tmp/mb_bench_drain.mbtrace");
    beat_stop();
    (void)printf("throttle=%-4s %5.1f million words a second asked for, %5.1f had: "
                 "%5.2f %% of a core\n",
                 throttle == BEAT_ON ? "on" : "off", words_per_second * 1e-6,
                 units * WORDS_A_UNIT / (now - start) * 1e-6, cpu / (seconds / 2) * 100);
}

int main(int argc, char **argv)
{
    double rate = (argc > 1 ? atof(argv[1]) : 20) * 1e6;
    double seconds = argc > 2 ? atof(argv[2]) : 4;

    run(BEAT_OFF, rate, seconds);
    run(BEAT_ON, rate, seconds);
    (void)unlink("/tmp/mb_bench_drain.mbtrace");
    return 0;
}
