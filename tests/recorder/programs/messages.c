/* Messages while another thread dumps 32 MB at a time: no message waits for anybody. The kernel
 * counts who gives the CPU up of its own accord, which is what waiting for a lock is; who loses it
 * to somebody else is counted apart, so that a busy machine changes nothing. Prints the longest
 * message on the wall clock.
 *
 * usage: messages [MESSAGES] */
#include "base/clock.h"
#include "recorder/core.h"
#include "recorder/methodbeat.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define WORDS (4u << 20)
#define MOST_WAITS 20 /* for pages, and for the kernel's own locks */

static char path[] = "/tmp/mb_messagesXXXXXX";
static atomic_bool over;
static atomic_ulong dumps;

static long waits(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

static void *dump(void *unused)
{
    while (!atomic_load(&over)) {
        atomic_fetch_add(&dumps, beat_dump(path));
    }
    return unused;
}

static void pass_message(void)
{
    beat_i(BEAT_MESSAGE_ID);
    beat_o(BEAT_MESSAGE_ID);
}

/* How often messages waited. */
static long measure(int messages)
{
    unsigned long dumps_before = atomic_load(&dumps);
    int64_t longest = 0;
    int64_t late = 0;
    int done = 0;

    long before = waits();
    for (; done < messages || atomic_load(&dumps) < dumps_before + 5; done++) {
        int64_t start = mb_clock_now_ns();
        pass_message();
        int64_t took = mb_clock_now_ns() - start;
        longest = took > longest ? took : longest;
        late += took > 1000000;
    }
    long waited = waits() - before;
    (void)printf("%d messages, %ld waits, the longest %" PRId64 " us, %" PRId64
                 " above 1 ms, while %lu dumps were made\n",
                 done, waited, longest / 1000, late, atomic_load(&dumps) - dumps_before);
    return waited;
}

int main(int argc, char **argv)
{
    int messages = argc > 1 ? atoi(argv[1]) : 100000;
    struct beat_options options;
    pthread_t dumper;
    int fd = mkstemp(path);

    beat_options_init(&options);
    options.clock = BEAT_CLOCK_COARSE;
    options.main_words = WORDS;
    if (!beat_start(&options)) {
        return 1;
    }
    for (uint32_t i = 0; i < WORDS; i++) {
        beat_i(1);
    }
    (void)pthread_create(&dumper, NULL, dump, NULL);
    long waited = measure(messages);
    /* Even while somebody has the lock. */
    struct beat_recorder *recorder = beat_lock();
    pass_message();
    beat_unlock(recorder);
    atomic_store(&over, true);
    (void)pthread_join(dumper, NULL);
    (void)close(fd);
    (void)unlink(path);
    return waited <= MOST_WAITS ? 0 : 1;
}
