#include "sampler/task.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct life {
    _Atomic(uint32_t) thread_id;
    _Atomic(bool) is_over;
    bool waits;
};

static void rest(long ms)
{
    const struct timespec nap = {.tv_nsec = ms * 1000000};

    (void)nanosleep(&nap, NULL);
}

static void *live(void *argument)
{
    struct life *life = argument;

    (void)prctl(PR_SET_NAME, "a) S (b"); /* as if it slept */
    atomic_store(&life->thread_id, (uint32_t)syscall(SYS_gettid));
    while (!atomic_load(&life->is_over)) {
        if (life->waits) {
            rest(100); /* who wakes on a busy machine is runnable for a while */
        }
    }
    return NULL;
}

/* How often of a thousand times. */
static int count_runnable(bool waits)
{
    struct life life = {.waits = waits};
    pthread_t thread;
    int count = 0;

    cr_assert(pthread_create(&thread, NULL, live, &life) == 0);
    while (atomic_load(&life.thread_id) == 0) {
        rest(1);
    }
    for (int i = 0; i < 1000; i++) {
        count += samp_task_is_runnable(life.thread_id);
    }
    atomic_store(&life.is_over, true);
    (void)pthread_join(thread, NULL);
    return count;
}

Test(task, that_works_is_runnable)
{
    cr_assert(eq(int, count_runnable(false), 1000));
}

Test(task, that_sleeps_is_not)
{
    cr_assert(lt(int, count_runnable(true), 500));
}

Test(task, that_is_gone_is_not)
{
    cr_assert(not(samp_task_is_runnable(0)));
}
