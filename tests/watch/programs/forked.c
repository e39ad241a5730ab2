/* Children of a program whose watcher has much to do: the monitors are over in them, start anew and
 * stop, whatever the watcher did as they were forked. Not under AddressSanitizer, whose allocator's
 * locks stay locked in a child.
 *
 * usage: forked [FORKS]     exit 77 (skipped) under AddressSanitizer */
#include "monitor/watch/methodbeat_watch.h"
#include "tests/support/sanitizer.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_S 60

static atomic_bool over;

static void have_a_message(useconds_t us)
{
    watch_begin();
    (void)usleep(us);
    watch_end();
}

static void *tell_often(void *unused)
{
    char key[16];

    for (unsigned i = 0; !atomic_load(&over); i++) {
        (void)snprintf(key, sizeof(key), "k%u", i % 50);
        (void)watch_report("forked", key, "{\"a\":1}");
        (void)watch_set("evil_ms", i % 2 == 0 ? "1" : "2");
        (void)usleep(500);
    }
    return unused;
}

static void live_as_child(void)
{
    (void)alarm(PATIENCE_S);
    watch_end(); /* of a loop that is not watched */
    bool ran = watch_is_running();
    bool starts = watch_start();
    have_a_message(1000);
    watch_stop();
    _exit(ran || !starts ? 1 : 0);
}

static bool fork_one(int number)
{
    int status = 1;

    (void)usleep((useconds_t)(number * 37 % 500));
    watch_begin();
    pid_t child = fork();
    if (child == 0) {
        live_as_child();
    }
    watch_end();
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        (void)printf("child %d: status %d\n", number, status);
        return false;
    }
    return watch_is_running();
}

int main(int argc, char **argv)
{
    int forks = argc > 1 ? atoi(argv[1]) : 300;
    char folder[] = "/tmp/mb_forkedXXXXXX";
    char remove[64];
    pthread_t teller;
    int failed = 0;

    if (HAS_ADDRESS_SANITIZER) {
        return 77;
    }
    if (mkdtemp(folder) == NULL || freopen("/dev/null", "w", stderr) == NULL) {
        return 1;
    }
    (void)watch_set("spool", folder);
    (void)watch_set("evil_ms", "1");
    (void)watch_start();
    (void)pthread_create(&teller, NULL, tell_often, NULL);
    for (int i = 0; i < forks && failed == 0; i++) {
        failed += fork_one(i) ? 0 : 1;
    }
    atomic_store(&over, true);
    (void)pthread_join(teller, NULL);
    watch_stop();
    (void)snprintf(remove, sizeof(remove), "rm -r %s", folder);
    return system(remove) == 0 && failed == 0 ? 0 : 1;
}
