/* A signal handler that calls probes, on a thread that starts, stops, names itself, marks, copies,
 * dumps and forks meanwhile: nothing waits for itself, and what the handler entered it also left.
 *
 * usage: signals [ROUNDS] */
#include "abi/record.h"
#include "recorder/methodbeat.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
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

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 300;
    char dump[] = "/tmp/mb_signalsXXXXXX";
    int fd = mkstemp(dump);

    beat_i(1); /* the first one is no handler's: it allocates memory */
    begin_signals();
    for (int round = 0; round < rounds || handled < 100; round++) {
        act(round, dump);
    }
    const struct itimerval never = {0};
    (void)setitimer(ITIMER_REAL, &never, NULL);
    (void)close(fd);
    (void)unlink(dump);
    (void)printf("%d signals\n", (int)handled);
    return 0;
}
