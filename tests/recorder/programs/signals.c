/* A signal handler that calls probes, on a thread that starts, stops, names itself, marks, copies,
 * dumps and forks meanwhile: nothing waits for itself, and what the handler entered it also left.
 * Then one on threads that call probes too, while another thread restarts the recorder.
 *
 * usage: signals [ROUNDS [SECONDS]] */
#include "abi/record.h"
#include "recorder/methodbeat.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS 1024u

static volatile sig_atomic_t handled;

static void handle(int signal)
{
    (void)signal;
    beat_i(7);
    beat_o(7);
    handled = handled + 1;
}

static void begin_signals(void)
{
    const struct itimerval every = {{0, 50}, {0, 50}};
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    (void)sigaction(SIGALRM, &action, NULL);
    (void)setitimer(ITIMER_REAL, &every, NULL);
}

static void act(int round, const char *dump)
{
    static uint64_t words[WORDS];
    size_t count = WORDS;
    struct beat_options options;

    beat_options_init(&options);
    options.main_words = round % 2 == 0 ? WORDS : 2 * WORDS;
    options.clock = round % 3 == 0 ? BEAT_CLOCK_COARSE : BEAT_CLOCK_AUTO;
    (void)beat_start(&options);
    for (uint32_t i = 0; i < 2 * WORDS; i++) { /* over the end of the ring */
        beat_i(1);
        beat_o(1);
    }
    beat_name_thread(round % 2 == 0 ? "even" : "odd");
    struct beat_mark mark = beat_mark(BEAT_SELF, "signals");
    (void)beat_copy(&mark, BEAT_SELF, words, &count);
    beat_unmark(&mark);
    if (round % 16 == 0) {
        (void)beat_dump(dump);
    }
    if (round % 64 == 0) {
        pid_t child = fork();
        if (child == 0) {
            _exit(0);
        }
        while (waitpid(child, NULL, 0) < 0) {
        }
    }
    beat_stop();
}

/* ---- Restarts by another thread ---- */

static atomic_bool over;

static void block_signals(void)
{
    sigset_t every;

    (void)sigfillset(&every);
    (void)pthread_sigmask(SIG_SETMASK, &every, NULL);
}

static void *restart(void *count)
{
    struct beat_options options;

    block_signals();
    beat_options_init(&options);
    options.threads = BEAT_THREADS_ALL;
    options.main_words = 5000;
    options.thread_words = 5000;
    for (; !atomic_load(&over); (*(unsigned long *)count)++) {
        (void)beat_start(&options);
        (void)usleep(300);
        beat_stop();
    }
    return NULL;
}

static void *call_probes(void *unused)
{
    while (!atomic_load(&over)) {
        beat_i(3);
        beat_o(3);
    }
    return unused;
}

static unsigned long restart_beside(time_t seconds)
{
    pthread_t restarting;
    pthread_t calling;
    unsigned long count = 0;

    (void)pthread_create(&restarting, NULL, restart, &count);
    (void)pthread_create(&calling, NULL, call_probes, NULL);
    for (time_t end = time(NULL) + seconds; time(NULL) < end;) {
        beat_i(3);
        beat_o(3);
    }
    atomic_store(&over, true);
    (void)pthread_join(calling, NULL);
    (void)pthread_join(restarting, NULL);
    return count;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 300;
    time_t seconds = argc > 2 ? atoi(argv[2]) : 6;
    char dump[] = "/tmp/mb_signalsXXXXXX";
    int fd = mkstemp(dump);

    beat_i(1); /* the first one is no handler's: it allocates memory */
    begin_signals();
    for (int round = 0; round < rounds || handled < 100; round++) {
        act(round, dump);
    }
    unsigned long restarts = restart_beside(seconds);
    const struct itimerval never = {0};
    (void)setitimer(ITIMER_REAL, &never, NULL);
    (void)close(fd);
    (void)unlink(dump);
    (void)printf("%d signals, %lu restarts by another thread\n", (int)handled, restarts);
    return 0;
}
