/* What the agent's hook costs a class that a JVM loads: parsed, judged, written anew, its methods
 * numbered and named. One thread, no JVM.
 *
 * usage: bench_load [--repeats=N] JAR...
 * prints a JSON object; microseconds for 5 KB (5,000 bytes) of class file. Methods have their
 * numbers from the second repeat on: first is that of a program that starts. For callgrind, run
 * once with
 * --toggle-collect="run_hook*". */

#include "agent/weaver.h"
#include "classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEFAULT_REPEATS = 15, MAX_REPEATS = 1000, UNIT = 5000 };

static struct bench_classes classes;
static size_t failed_count; /* of one repeat */
static size_t woven_count;

/* Not inlined: callgrind finds it by name. */
static MB_NOINLINE void run_hook(struct mb_buf *out)
{
    failed_count = 0;
    woven_count = 0;
    for (size_t i = 0; i < classes.count; i++) {
        const struct bench_class *loaded = &classes.rows[i];
        const struct agent_arrival arrival = {
            .content = {(const char *)loaded->bytes, loaded->size}};

        mb_buf_reset(out);
        failed_count += agent_weave(&arrival, out).status != MB_OK;
        woven_count += out->size > 0;
    }
}

static double microseconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;

    return (difference > 0) - (difference < 0);
}

static void print_figures(double *took, size_t repeats)
{
    const double first = took[0];
    const double units = (double)classes.bytes / UNIT;

    qsort(took, repeats, sizeof(*took), compare);
    printf("{\"classes\": %zu, \"class_bytes\": %llu, \"woven\": %zu, \"failed\": %zu, "
           "\"us_a_class\": %.1f, \"us_for_5_kb\": {\"first\": %.1f, \"median\": %.1f, "
           "\"best\": %.1f}}\n",
           classes.count, (unsigned long long)classes.bytes, woven_count, failed_count,
           took[repeats / 2] / (double)classes.count, first / units, took[repeats / 2] / units,
           took[0] / units);
}

int main(int argc, char **argv)
{
    double took[MAX_REPEATS];
    size_t repeats = DEFAULT_REPEATS;
    struct mb_buf out = {0};
    struct mb_error err;

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--repeats=", 10) == 0) {
            repeats = strtoul(argv[i] + 10, NULL, 10);
        } else {
            bench_load_jar(&classes, argv[i]);
        }
    }
    if (classes.count == 0 || repeats - 1 >= MAX_REPEATS) {
        fputs("usage: bench_load [--repeats=N] JAR...\n", stderr);
        return 2;
    }
    if (agent_weaver_open(&(struct agent_weaver_options){0}, &err) != MB_OK) {
        bench_stop(&err);
    }
    for (size_t i = 0; i < repeats; i++) {
        double since = microseconds();
        run_hook(&out);
        took[i] = microseconds() - since;
    }
    print_figures(took, repeats);
    mb_buf_finish(&out);
    bench_classes_finish(&classes);
    return 0;
}
