/* How fast words become calls: records a second and milliseconds, best of many.
 * usage: bench_decode [ROUNDS] */

#include "abi/record.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS = 1000000, MAX_DEPTH = 59, METHODS = 5000 };

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static size_t make_tree(uint64_t *words)
{
    uint32_t open[MAX_DEPTH];
    uint32_t depth = 0;
    uint32_t state = 1;
    size_t count = 0;

    while (count + depth < WORDS) {
        bool is_enter = depth == 0 || (depth < MAX_DEPTH && next_random(&state) % 2 == 0);
        if (is_enter) {
            open[depth++] = 1 + next_random(&state) % METHODS;
        }
        uint32_t id = is_enter ? open[depth - 1] : open[--depth];
        words[count] = abi_record(id, is_enter, count * 10);
        count++;
    }
    while (depth > 0) {
        words[count] = abi_record(open[--depth], false, count * 10);
        count++;
    }
    return count;
}

/* One parent and 499,999 children that do not merge. */
static size_t make_wide(uint64_t *words)
{
    words[0] = abi_record(1, true, 0);
    for (size_t i = 1; i + 1 < WORDS; i++) {
        words[i] = abi_record(2 + (uint32_t)((i - 1) / 2 % METHODS), i % 2 == 1, i * 10);
    }
    words[WORDS - 1] = abi_record(1, false, WORDS * 10);
    return WORDS;
}

static double now_ms(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* A fresh decoder pays for its memory; one that is used again does not. */
static double decode_ms(struct trace_decoder *decoder, const struct trace_run *run, size_t *items)
{
    const struct trace_options options = {0};
    struct trace_item kept[TRACE_TRIMMED_MAX];
    struct trace_stack stack;
    double start = now_ms();

    if (trace_decode(decoder, run, 1, &options, &stack, NULL) != MB_OK) {
        exit(1);
    }
    size_t kept_count = trace_trim(stack.items, stack.count, 1e6, kept);
    (void)trace_key(kept, kept_count, (int64_t)run->count * 10);
    *items = stack.count;
    return now_ms() - start;
}

static void measure(const char *name, const struct trace_run *run, int rounds)
{
    struct trace_decoder decoder = {0};
    size_t items = 0;
    double first = decode_ms(&decoder, run, &items);
    double best = first;

    for (int i = 1; i < rounds; i++) {
        double ms = decode_ms(&decoder, run, &items);
        best = ms < best ? ms : best;
    }
    (void)printf("%-6s %8zu items   first %6.1f ms   best %6.1f ms   %6.1f M records/s\n", name,
                 items, first, best, (double)run->count / best / 1e3);
    trace_decoder_finish(&decoder);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 20;
    uint64_t *words = malloc(WORDS * sizeof(*words));

    if (words == NULL) {
        return 1;
    }
    struct trace_run run = {words, make_tree(words)};
    measure("tree", &run, rounds);
    run.count = make_wide(words);
    measure("wide", &run, rounds);
    free(words);
    return 0;
}
