/* How fast samples become calls, and are put on the tree of a run: milliseconds, best of
 * many, for a million words and samples and for two.
 * usage: bench_samples [ROUNDS] */

#include "trace/samples.h"
#include "abi/record.h"
#include "trace/graft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UNIT (UINT64_C(1) << 32 | 1)
#define STEP 10u /* units from one word to the next, and from one sample to the next */

enum { MILLION = 1000000, MAX_DEPTH = 40, METHODS = 200, NODES = 200000 };

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Of the processor: a busy machine tells the same. */
static double now_ms(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void *take_room(size_t count, size_t size)
{
    void *room = calloc(count, size);

    if (room == NULL) {
        exit(1);
    }
    return room;
}

/* What a program leaves: every other frame has a probe; a sample lies behind each word. */
struct content {
    uint64_t *words;
    struct abi_sample *samples;
    struct abi_stack_node *nodes;
    uint32_t *first_child; /* [node], from 1; 0: none */
    uint32_t *next_child;
    size_t word_count;
    size_t sample_count;
    uint32_t node_count;
    uint64_t time;
};

/* One of few callees; where the room ends, one that is there. */
static uint32_t draw_child(struct content *c, uint32_t parent, uint32_t *state)
{
    uint32_t id = 1 + (parent * 3 + next_random(state) % 4) % METHODS;

    for (uint32_t child = c->first_child[parent]; child > 0; child = c->next_child[child]) {
        if (c->nodes[child].id == id) {
            return child;
        }
    }
    if (c->node_count == NODES) {
        return c->first_child[parent];
    }
    uint32_t child = c->node_count++;
    c->nodes[child] = (struct abi_stack_node){.parent = parent, .id = id, .running = 1};
    c->next_child[child] = c->first_child[parent];
    c->first_child[parent] = child;
    return child;
}

static void put_event(struct content *c, uint32_t node, uint32_t innermost, bool is_enter)
{
    uint32_t id = c->nodes[node].id;

    c->time += STEP;
    if (id % 2 == 0) {
        c->words[c->word_count++] = abi_record(id, is_enter, c->time);
    }
    c->samples[c->sample_count++] = (struct abi_sample){
        .time = c->time + STEP / 2, .until = c->time + STEP / 2, .node = innermost};
}

/* So many words and at least as many samples. */
static void run_program(struct content *c, size_t count)
{
    uint32_t open[MAX_DEPTH + 1] = {0};
    uint32_t depth = 0;
    uint32_t state = 1;

    c->nodes[c->node_count++] = (struct abi_stack_node){.parent = ABI_STACK_NO_NODE, .id = 1};
    while (c->word_count + MAX_DEPTH < count && c->sample_count + MAX_DEPTH < 3 * count) {
        uint32_t child = depth < MAX_DEPTH && next_random(&state) % 2 == 0
                             ? draw_child(c, open[depth], &state)
                             : 0;
        if (child > 0) {
            open[++depth] = child;
            put_event(c, child, child, true);
        } else if (depth > 0) {
            depth--;
            put_event(c, open[depth + 1], open[depth], false);
        }
    }
    for (; depth > 0; depth--) {
        put_event(c, open[depth], open[depth - 1], false);
    }
}

static struct content make_content(size_t count)
{
    struct content c = {
        .words = take_room(count, sizeof(*c.words)),
        .samples = take_room(3 * count, sizeof(*c.samples)),
        .nodes = take_room(NODES, sizeof(*c.nodes)),
        .first_child = take_room(NODES, sizeof(*c.first_child)),
        .next_child = take_room(NODES, sizeof(*c.next_child)),
    };

    run_program(&c, count);
    /* As many samples as words. */
    size_t kept = 0;
    for (size_t i = 0; i < c.sample_count; i++) {
        if (kept * c.sample_count <= i * count) {
            c.samples[kept] = c.samples[i];
            c.samples[kept++].interval_us = 1;
        }
    }
    c.sample_count = kept;
    return c;
}

static void finish_content(struct content *c)
{
    free(c->words);
    free(c->samples);
    free(c->nodes);
    free(c->first_child);
    free(c->next_child);
}

/* What is measured, with the memory of all its parts: only the first round pays for it. */
struct bench {
    struct trace_decoder decoder;
    struct trace_samples samples;
    struct trace_sampled_calls calls;
    struct trace_profile profile;
    struct trace_graft graft;
    size_t items;
    size_t nodes;
    double best[3]; /* putting by thread, making calls, grafting */
};

static void keep_best(double *best, double ms)
{
    *best = *best == 0 || ms < *best ? ms : *best;
}

static void measure_round(struct bench *b, const struct content *c,
                          const struct abi_sampling_view *view)
{
    size_t count = 0;
    const struct trace_node *tree = trace_profile_nodes(&b->profile, &count);
    const struct trace_graft_source grafting = {
        .samples = &b->samples, .nodes = tree, .node_count = count};
    struct trace_stack stack;
    double start = now_ms();

    if (trace_samples_make(&b->samples, view, UNIT, NULL, NULL) != MB_OK) {
        exit(1);
    }
    keep_best(&b->best[0], now_ms() - start);
    start = now_ms();
    if (trace_sampled_calls_make(&b->calls, &b->samples, 0, c->time, &stack, NULL) != MB_OK) {
        exit(1);
    }
    keep_best(&b->best[1], now_ms() - start);
    start = now_ms();
    if (trace_graft_make(&b->graft, &grafting, NULL) != MB_OK) {
        exit(1);
    }
    keep_best(&b->best[2], now_ms() - start);
    b->items = stack.count;
    (void)trace_profile_nodes(&b->graft.profile, &b->nodes);
}

static void finish_bench(struct bench *b)
{
    trace_decoder_finish(&b->decoder);
    trace_samples_finish(&b->samples);
    trace_sampled_calls_finish(&b->calls);
    trace_profile_finish(&b->profile);
    trace_graft_finish(&b->graft);
}

static void measure(size_t count, int rounds)
{
    static const struct abi_sample_thread threads[1];
    const struct trace_options options = {.keep_apart = true};
    struct content c = make_content(count);
    const struct trace_run run = {c.words, c.word_count};
    const struct abi_sampling_view view = {.threads = threads,
                                           .thread_count = 1,
                                           .nodes = c.nodes,
                                           .node_count = c.node_count,
                                           .samples = {c.samples, NULL},
                                           .sample_counts = {c.sample_count, 0},
                                           .ns_per_unit = UNIT};
    struct trace_stack recorded;
    struct bench b = {0};

    if (trace_decode(&b.decoder, &run, 1, &options, &recorded, NULL) != MB_OK ||
        trace_profile_add(&b.profile, recorded.items, recorded.count, NULL) != MB_OK) {
        exit(1);
    }
    for (int i = 0; i < rounds; i++) {
        measure_round(&b, &c, &view);
    }
    (void)printf("%zu words, %zu samples, %u stacks: by thread %.1f ms, %.1f ms to %zu calls, "
                 "grafted %.1f ms (%zu nodes)\n",
                 c.word_count, c.sample_count, c.node_count, b.best[0], b.best[1], b.items,
                 b.best[2], b.nodes);
    finish_bench(&b);
    finish_content(&c);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 10;

    measure(MILLION, rounds);
    measure((size_t)2 * MILLION, rounds);
    return 0;
}
