/* Forks while threads record and another restarts: the child, in whatever moment it was made,
 * records nothing until it starts the recorder itself, then its own calls alone, and touches no
 * file of its parent's. Not under AddressSanitizer, whose locks stay locked in a child: one
 * child of 13,000 hung there as it started a thread.
 *
 * usage: forks [FORKS]     exit 77 (skipped) under AddressSanitizer */
#include "abi/record.h"
#include "abi/tracefile.h"
#include "base/file.h"
#include "recorder/methodbeat.h"
#include "tests/support/sanitizer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define PARENT_ID 1u
#define CHILD_ID 2u

static atomic_bool over;
static char trace[] = "/tmp/mb_forksXXXXXX";

static struct beat_options options_of(unsigned round)
{
    struct beat_options options;

    beat_options_init(&options);
    options.threads = BEAT_THREADS_ALL;
    options.thread_words = 1024;
    options.clock = round % 2 == 0 ? BEAT_CLOCK_COARSE : BEAT_CLOCK_AUTO;
    options.file = round % 4 == 0 ? trace : NULL;
    return options;
}

static void *record(void *unused)
{
    while (!atomic_load(&over)) {
        beat_i(PARENT_ID);
        beat_o(PARENT_ID);
    }
    return unused;
}

static void *restart(void *unused)
{
    for (unsigned round = 0; !atomic_load(&over); round++) {
        struct beat_options options = options_of(round);
        beat_stop();
        (void)beat_start(&options);
    }
    return unused;
}

/* 0 if all is as promised. */
static int be_a_child(void)
{
    struct beat_options options = options_of(1);
    uint64_t words[8];
    size_t count = MB_COUNT(words);

    beat_i(CHILD_ID);
    if (beat_is_recording() || beat_copy(NULL, BEAT_MAIN, words, &count)) {
        return 1;
    }
    count = MB_COUNT(words);
    if (!beat_start(&options)) {
        return 2;
    }
    beat_i(CHILD_ID);
    beat_o(CHILD_ID);
    if (!beat_copy(NULL, BEAT_SELF, words, &count) || count != 2 ||
        abi_record_id(words[0]) != CHILD_ID) {
        return 3;
    }
    beat_stop();
    return 0;
}

/* No word of a child is in the parent's trace. */
static bool is_ours(void)
{
    struct mb_buf bytes = {0};
    bool ours = mb_file_read(&bytes, trace, NULL) == MB_OK;
    struct abi_tracefile opened;

    ours = ours && abi_tracefile_open(&opened, bytes.bytes, bytes.size, NULL) == MB_OK;
    for (uint32_t i = 0; ours && i < opened.header.ring_count; i++) {
        struct abi_ring_view view;
        bool used;
        ours = abi_tracefile_ring(&opened, i, &view, &used, NULL) == MB_OK;
        for (size_t w = 0; ours && used && w < view.run_counts[0]; w++) {
            ours = abi_record_id(view.runs[0][w]) != CHILD_ID;
        }
    }
    mb_buf_finish(&bytes);
    return ours;
}

int main(int argc, char **argv)
{
    int forks = argc > 1 ? atoi(argv[1]) : 40;
    pthread_t threads[THREADS + 1];
    struct beat_options first = options_of(0);

    if (HAS_ADDRESS_SANITIZER) {
        return 77;
    }
    (void)close(mkstemp(trace));
    (void)beat_start(&first);
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_create(&threads[i], NULL, record, NULL);
    }
    (void)pthread_create(&threads[THREADS], NULL, restart, NULL);
    for (int i = 0; i < forks; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            _exit(be_a_child());
        }
        if (waitpid(child, &status, 0) != child || status != 0) {
            (void)fprintf(stderr, "child %d: status %x\n", i, (unsigned)status);
            return 1;
        }
    }
    atomic_store(&over, true);
    for (int i = 0; i <= THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    struct beat_options last = options_of(0);
    beat_stop();
    (void)beat_start(&last);
    beat_i(PARENT_ID);
    beat_stop();
    bool ours = is_ours();
    (void)unlink(trace);
    (void)printf("%d forks\n", forks);
    return ours ? 0 : 1;
}
