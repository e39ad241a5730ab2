/* A profile that began in memory, of calls that get muted and of threads that come and go, goes on
 * in a file on a disk that may be full: whatever has no room there is left out, and the program
 * goes on.
 *
 * usage: full TRACE */
#include "recorder/methodbeat.h"
#include "tests/recorder/programs/quiet.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 6
#define CHAIN 49u     /* methods that call each other */
#define DISTINCT 100u /* ids of a thread's chain, apart from the others' */

static void *call_chains(void *number)
{
    uint32_t first = (uint32_t)(uintptr_t)number * DISTINCT;

    for (int round = 0; round < 3000; round++) {
        for (uint32_t i = 1; i <= CHAIN; i++) {
            beat_i(first + i);
        }
        for (uint32_t i = CHAIN; i > 0; i--) {
            beat_o(first + i);
        }
        if (round % 10 == 0) {
            (void)usleep(100); /* for the keeper to come along */
        }
    }
    (void)usleep(5000);
    return NULL;
}

int main(int argc, char **argv)
{
    struct beat_options options;

    (void)setenv("METHODBEAT_PROFILE", "on", 1);
    (void)setenv("METHODBEAT_THREADS", "all", 1);
    (void)setenv("METHODBEAT_WORDS", "2048:2048", 1);
    (void)setenv("METHODBEAT_MAX_THREADS", "8", 1);
    beat_i(1);
    beat_o(1);
    (void)usleep(50000); /* a row of the profile is there */
    beat_options_init(&options);
    options.file = argc > 1 ? argv[1] : NULL;
    options.log = ignore;
    bool starts = beat_start(&options);
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, call_chains, (void *)i) == 0) {
            (void)pthread_join(thread, NULL);
        }
    }
    beat_stop();
    (void)puts(starts ? "went on" : "did not start");
    return starts ? 0 : 1;
}
