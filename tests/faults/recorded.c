/* A program that records in every way there is, and whose output says nothing about it: what the
 * recorder cannot have must not change what the program does.
 *
 * usage: recorded TRACE MAPPING */
#include "recorder/methodbeat.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CALLS 2000u
#define THREADS 3
#define WORDS 4096

static uint64_t work(uint32_t id)
{
    uint64_t sum = 0;

    for (uint32_t call = 0; call < CALLS; call++) {
        beat_i(id);
        sum += (uint64_t)call * id;
        beat_o(id);
    }
    return sum;
}

static void *worker(void *sum)
{
    uint64_t *result = sum;

    beat_name_thread("a worker of the program with a long name");
    *result = work((uint32_t)*result);
    return NULL;
}

static uint64_t all_threads(void)
{
    pthread_t threads[THREADS];
    uint64_t sums[THREADS];
    uint64_t sum = work(1);

    for (size_t i = 0; i < THREADS; i++) {
        sums[i] = i + 2;
        if (pthread_create(&threads[i], NULL, worker, &sums[i]) != 0) {
            exit(2);
        }
    }
    for (size_t i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
        sum += sums[i];
    }
    return sum;
}

static void look(const char *path)
{
    static uint64_t words[WORDS];
    size_t count = WORDS;
    struct beat_mark mark = beat_mark(BEAT_MAIN, "look");

    (void)work(9);
    (void)beat_copy(&mark, BEAT_MAIN, words, &count);
    (void)beat_dump(path);
    beat_unmark(&mark);
}

int main(int argc, char **argv)
{
    struct beat_options options;
    char dump[4096];

    if (argc != 3) {
        return 2;
    }
    (void)snprintf(dump, sizeof(dump), "%s.dump", argv[1]);
    uint64_t sum = all_threads(); /* recorded in memory, nobody has started */
    beat_options_init(&options);
    options.file = argv[1];
    options.mapping = argv[2];
    options.threads = BEAT_THREADS_ALL;
    options.main_words = WORDS;
    options.thread_words = WORDS;
    options.max_threads = 2 * THREADS; /* or the trace is large */
    for (int round = 0; round < 2; round++) {
        (void)beat_start(&options);
        beat_i(BEAT_MESSAGE_ID);
        sum += all_threads();
        beat_o(BEAT_MESSAGE_ID);
        look(dump);
        beat_stop();
        options.main_words *= 2;
    }
    return printf("%llu\n", (unsigned long long)sum) > 0 ? 0 : 1;
}
