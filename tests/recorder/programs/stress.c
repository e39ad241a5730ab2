/* Threads that come and go while others mark, copy, dump, stop and start: for the sanitizers, and
 * for the promise that a copy holds whole words of one lap in order. A plain program, since
 * Criterion does not run under ThreadSanitizer.
 *
 * usage: stress [ROUNDS] */
#include "abi/record.h"
#include "recorder/methodbeat.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 64
#define ROOM 4096
#define CALLS 3000u

static atomic_bool over;
static atomic_ulong copies;
static atomic_ulong checked_words;

static void fail(const char *what, uint64_t a, uint64_t b)
{
    (void)fprintf(stderr, "%s: %016" PRIx64 " %016" PRIx64 "\n", what, a, b);
    abort();
}

/* Calls nest three deep with ids that follow each other, so that a copy can be checked: each
 * word says what the next one must be. */
static void call_some(uint32_t first)
{
    for (uint32_t i = 0; i < CALLS; i++) {
        uint32_t id = first + i % 100 * 3;
        beat_i(id);
        beat_i(id + 1);
        beat_i(id + 2);
        beat_o(id + 2);
        beat_o(id + 1);
        beat_o(id);
    }
}

static void *come_and_go(void *first)
{
    call_some((uint32_t)(uintptr_t)first);
    return NULL;
}

static void check_order(const uint64_t *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        bool enters = abi_record_is_enter(words[i]);
        int64_t step = (int64_t)abi_record_id(words[i]) - abi_record_id(words[i - 1]);
        /* Back by more than half the range means forward. */
        if (abi_record_elapsed(words[i - 1], words[i]) > ABI_TIME_MASK / 2) {
            fail("time goes back", words[i - 1], words[i]);
        }
        if (enters && abi_record_is_enter(words[i - 1]) && step != 1) {
            fail("an entry out of place", words[i - 1], words[i]);
        }
        if (!enters && step != (abi_record_is_enter(words[i - 1]) ? 0 : -1)) {
            fail("an exit out of place", words[i - 1], words[i]);
        }
    }
    atomic_fetch_add(&checked_words, count);
}

static void *copy_and_mark(void *unused)
{
    uint64_t *words = malloc(ROOM * sizeof(*words));

    (void)unused;
    while (words != NULL && !atomic_load(&over)) {
        size_t count = ROOM;
        struct beat_mark mark = beat_mark(BEAT_MAIN, "stress");
        if (beat_copy(NULL, BEAT_MAIN, words, &count)) {
            check_order(words, count);
        }
        count = ROOM;
        if (beat_copy(&mark, BEAT_MAIN, words, &count)) {
            check_order(words, count);
        }
        beat_unmark(&mark);
        atomic_fetch_add(&copies, 1);
    }
    free(words);
    return NULL;
}

static void start(void)
{
    struct beat_options options;

    beat_options_init(&options);
    options.threads = BEAT_THREADS_ALL;
    options.main_words = ROOM;
    options.thread_words = 2048;
    options.max_threads = 16;    /* fewer than threads: some are refused, rings are recycled */
    options.throttle = BEAT_OFF; /* calls of a method that falls silent leave a gap in what nests */
    if (!beat_start(&options)) {
        fail("does not start", 0, 0);
    }
}

static void run_threads(void)
{
    pthread_t threads[THREADS];

    for (uint32_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, come_and_go, (void *)(uintptr_t)(i * 500 + 1)) != 0) {
            fail("no thread", i, 0);
        }
        call_some(100000);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
}

static void run(int rounds, const char *dump)
{
    pthread_t copiers[2];

    atomic_store(&over, false);
    start();
    (void)pthread_create(&copiers[0], NULL, copy_and_mark, NULL);
    (void)pthread_create(&copiers[1], NULL, copy_and_mark, NULL);
    for (int round = 0; round < rounds; round++) {
        run_threads();
        if (!beat_dump(dump)) {
            fail("no dump", 0, 0);
        }
        beat_stop();
        start();
    }
    atomic_store(&over, true);
    (void)pthread_join(copiers[0], NULL);
    (void)pthread_join(copiers[1], NULL);
    beat_stop();
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 3;
    char dump[] = "/tmp/mb_stressXXXXXX";
    int fd = mkstemp(dump);

    run(rounds, dump);
    (void)close(fd);
    (void)unlink(dump);
    if (atomic_load(&copies) == 0 || atomic_load(&checked_words) == 0) {
        fail("nothing was copied", atomic_load(&copies), atomic_load(&checked_words));
    }
    (void)printf("%lu copies, %lu words checked\n", atomic_load(&copies),
                 atomic_load(&checked_words));
    return 0;
}
