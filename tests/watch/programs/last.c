/* A program whose main thread ends before others do: it goes on until the last thread of its own
 * has ended, whichever of our threads there are, and then ends as by exit(0).
 *
 * usage: last */
#include "recorder/methodbeat.h"
#include "watch/methodbeat_watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 60000
#define WORK_MS 700 /* we look four times a second */

static char folder[] = "/tmp/mb_lastXXXXXX";
static char trace[64];
static int told[2]; /* what the program has come to */

static void tell(char what)
{
    if (write(told[1], &what, 1) != 1) {
        _exit(3);
    }
}

static void tell_exit(void)
{
    tell('x');
}

static void *work_last(void *unused)
{
    (void)usleep(WORK_MS * 1000);
    tell('2');
    return unused;
}

/* The last thread is not even there when the main one ends. */
static void *work_first(void *unused)
{
    pthread_t thread;

    (void)usleep(WORK_MS * 1000);
    if (pthread_create(&thread, NULL, work_last, NULL) == 0) {
        tell('1');
    }
    return unused;
}

static void start(const struct beat_options *options)
{
    (void)beat_start(options);
}

static void start_nothing(void)
{
}

static void start_monitors(void)
{
    (void)watch_start();
}

static void start_file(void)
{
    struct beat_options options;

    beat_options_init(&options);
    options.file = trace;
    start(&options);
}

static void start_profile(void)
{
    struct beat_options options;

    beat_options_init(&options);
    options.profile = BEAT_ON;
    start(&options);
}

static void start_coarse(void)
{
    struct beat_options options;

    beat_options_init(&options);
    options.clock = BEAT_CLOCK_COARSE;
    start(&options);
}

static void begin_with_probe(void)
{
    beat_i(1);
    beat_o(1);
}

static void start_all(void)
{
    start_file();
    start_monitors();
}

static const struct life {
    const char *what;
    void (*start)(void);
} lives[] = {
    {"nothing", start_nothing},   {"monitors", start_monitors},       {"a file", start_file},
    {"a profile", start_profile}, {"the coarse clock", start_coarse}, {"a probe", begin_with_probe},
    {"all", start_all},
};

static void live(const struct life *life)
{
    pthread_t thread;

    (void)close(told[0]);
    (void)atexit(tell_exit);
    life->start();
    if (pthread_create(&thread, NULL, work_first, NULL) != 0) {
        _exit(4);
    }
    pthread_exit(NULL);
}

/* False if it is there after a minute. */
static bool is_over(pid_t child, int *status)
{
    for (int ms = 0; ms < PATIENCE_MS; ms++) {
        if (waitpid(child, status, WNOHANG) == child) {
            return true;
        }
        (void)usleep(1000);
    }
    (void)kill(child, SIGKILL);
    (void)waitpid(child, status, 0);
    return false;
}

static int check(const struct life *life)
{
    char heard[8] = "";
    int status = 0;

    if (pipe(told) != 0) {
        return 1;
    }
    pid_t child = fork();
    if (child == 0) {
        live(life);
    }
    (void)close(told[1]);
    bool is_right = child > 0 && is_over(child, &status) && status == 0;
    for (size_t size = 0; size + 1 < sizeof(heard) && read(told[0], heard + size, 1) == 1; size++) {
    }
    (void)close(told[0]);
    is_right = is_right && strcmp(heard, "12x") == 0;
    if (!is_right) {
        (void)printf("with %s: status %d, came to \"%s\"\n", life->what, status, heard);
        (void)fflush(stdout);
    }
    return is_right ? 0 : 1;
}

int main(void)
{
    int wrong = 0;

    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    (void)snprintf(trace, sizeof(trace), "%s/t.mbtrace", folder);
    for (size_t i = 0; i < sizeof(lives) / sizeof(*lives); i++) {
        wrong += check(&lives[i]);
    }
    (void)unlink(trace);
    (void)rmdir(folder);
    return wrong == 0 ? 0 : 1;
}
