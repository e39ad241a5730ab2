/* More threads than cores record while others restart, stop, copy and dump as fast as they can, so
 * that many a thread loses the CPU in the middle of a probe and goes on when its session, and the
 * next ones, are over. Nothing may crash, and no ring may show a word that another thread stored.
 *
 * usage: storm [RESTARTS] [SECONDS]     whichever is reached first */
#include "abi/record.h"
#include "recorder/methodbeat.h"
#include "tests/recorder/programs/quiet.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STAYING 6
#define PASSING 2
#define THREADS (STAYING + PASSING)
#define IDS_PER_THREAD 1000u
#define ROOM 8192
#define EXPIRIES 20

static atomic_bool over;
static atomic_bool is_calm; /* nobody disturbs any more */
static atomic_ulong calls;
static atomic_ulong checked_words;
static char folder[] = "/tmp/mb_stormXXXXXX";
static char trace[64];
static char dump[64];

static void fail(const char *what, uint64_t a, uint64_t b)
{
    (void)fprintf(stderr, "%s: %016" PRIx64 " %016" PRIx64 "\n", what, a, b);
    abort();
}

static void call_some(uint32_t first)
{
    for (uint32_t id = first; id < first + IDS_PER_THREAD - 2; id += 3) {
        beat_i(id);
        beat_i(id + 1);
        beat_o(id + 1);
        beat_i(id + 2);
        beat_o(id + 2);
        beat_o(id);
    }
    atomic_fetch_add_explicit(&calls, IDS_PER_THREAD, memory_order_relaxed);
}

/* What a thread finds in its ring it has stored there itself. */
static void check_own(uint32_t first, uint64_t *words)
{
    size_t count = ROOM;

    if (!beat_copy(NULL, BEAT_SELF, words, &count)) {
        return; /* it has none now */
    }
    for (size_t i = 0; i < count; i++) {
        if (abi_record_id(words[i]) - first >= IDS_PER_THREAD) {
            fail("a word of another thread", words[i], first);
        }
    }
    atomic_fetch_add_explicit(&checked_words, count, memory_order_relaxed);
}

static void *stay(void *number)
{
    uint32_t first = (uint32_t)(uintptr_t)number * IDS_PER_THREAD + 1;
    uint64_t *words = malloc(ROOM * sizeof(*words));

    while (words != NULL && !atomic_load(&over)) {
        call_some(first);
        check_own(first, words);
    }
    free(words);
    return NULL;
}

static void *pass(void *number)
{
    call_some((uint32_t)(uintptr_t)number * IDS_PER_THREAD + 1);
    return NULL;
}

static void *let_pass(void *number)
{
    while (!atomic_load(&over)) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, pass, number) == 0) {
            (void)pthread_join(thread, NULL);
        }
    }
    return NULL;
}

static void begin_threads(pthread_t *threads)
{
    atomic_store(&over, false);
    for (uintptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, i < STAYING ? stay : let_pass, (void *)i) != 0) {
            fail("no thread", i, 0);
        }
    }
}

static void end_threads(pthread_t *threads)
{
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
}

/* ---- Restarts ---- */

/* Sizes, clocks, files and who is recorded all change from session to session. */
static struct beat_options options_of(unsigned long round)
{
    struct beat_options options;

    beat_options_init(&options);
    options.log = ignore;
    options.threads = round % 32 == 31 ? BEAT_THREADS_MAIN : BEAT_THREADS_ALL;
    options.main_words = round % 8 == 7 ? 1024 : 5000;
    options.thread_words = round % 4 == 3 ? 1024 : 5000;
    options.max_threads = round % 16 == 15 ? 2 : THREADS + 4;
    options.clock = round % 2 == 0 ? BEAT_CLOCK_COARSE : BEAT_CLOCK_AUTO;
    options.file = round % 64 == 5 ? trace : NULL;
    return options;
}

static void *disturb(void *unused)
{
    uint64_t words[256];

    for (unsigned long round = 0; !atomic_load(&is_calm); round++) {
        size_t count = 256;
        struct beat_mark mark = beat_mark(BEAT_MAIN, "storm");
        (void)beat_copy(&mark, BEAT_MAIN, words, &count);
        beat_unmark(&mark);
        if (round % 64 == 0) {
            (void)beat_dump(dump);
        }
        beat_stop();
    }
    return unused;
}

/* A last session that nobody ends: however busy the machine, each thread that stays records and
 * checks in it. */
static void record_in_peace(void)
{
    struct beat_options options = options_of(1);

    (void)beat_start(&options);
    unsigned long before = atomic_load(&checked_words);
    while (atomic_load(&checked_words) == before) {
        (void)usleep(1000);
    }
    beat_stop();
}

static unsigned long restart(unsigned long restarts, int seconds)
{
    time_t until = time(NULL) + seconds;
    pthread_t threads[THREADS];
    pthread_t disturber;
    struct beat_options first = options_of(0);
    unsigned long done = 0;

    (void)beat_start(&first);
    begin_threads(threads);
    (void)pthread_create(&disturber, NULL, disturb, NULL);
    while (done < restarts && time(NULL) < until) {
        struct beat_options options = options_of(done++);
        beat_stop();
        (void)beat_start(&options);
        if (done % 100000 == 0) {
            (void)printf("%lu restarts, %lu calls\n", done, atomic_load(&calls));
            (void)fflush(stdout);
        }
    }
    atomic_store(&is_calm, true);
    (void)pthread_join(disturber, NULL);
    record_in_peace();
    end_threads(threads);
    return done;
}

/* ---- Expiry ---- */

/* In a child, since only a process that never started the recorder waits for a start. */
static void expire(void)
{
    pthread_t threads[THREADS];

    begin_threads(threads);
    while (atomic_load(&calls) == 0 || beat_is_recording()) {
        (void)usleep(100);
    }
    unsigned long before = atomic_load(&calls);
    while (atomic_load(&calls) < before + 100ul * IDS_PER_THREAD) {
        (void)usleep(100);
    }
    end_threads(threads);
    _exit(0);
}

static void expire_often(void)
{
    (void)setenv("METHODBEAT_START_WITHIN_MS", "3", 1);
    (void)setenv("METHODBEAT_THREADS", "all", 1);
    (void)setenv("METHODBEAT_WORDS", "0:1024", 1);
    for (int i = 0; i < EXPIRIES; i++) {
        int status = 1;
        pid_t child = fork();
        if (child == 0) {
            expire();
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            fail("a release ends the program", (uint64_t)i, (uint64_t)status);
        }
    }
}

int main(int argc, char **argv)
{
    unsigned long restarts = argc > 1 ? strtoul(argv[1], NULL, 10) : 3000;
    int seconds = argc > 2 ? atoi(argv[2]) : 20;

    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    (void)snprintf(trace, sizeof(trace), "%s/t.mbtrace", folder);
    (void)snprintf(dump, sizeof(dump), "%s/d.mbtrace", folder);
    expire_often();
    unsigned long done = restart(restarts, seconds);
    (void)unlink(trace);
    (void)unlink(dump);
    (void)rmdir(folder);
    (void)printf("%d expiries, %lu restarts, %lu calls, %lu words checked\n", EXPIRIES, done,
                 atomic_load(&calls), atomic_load(&checked_words));
    return 0;
}
