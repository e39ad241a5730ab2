#include "base/helpers.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <semaphore.h>
#include <signal.h>

static sem_t is_done;
static sigset_t blocked;

static void *look(void *argument)
{
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    (void)sem_post(&is_done);
    return argument;
}

Test(helpers, take_no_signals_of_the_program)
{
    pthread_t thread;
    sigset_t own;

    cr_assert(zero(int, sem_init(&is_done, 0, 0)));
    cr_assert(zero(int, mb_helper_create(&thread, look, NULL)));
    while (sem_wait(&is_done) != 0) {
    }
    cr_assert(eq(int, sigismember(&blocked, SIGUSR2), 1));
    cr_assert(eq(int, sigismember(&blocked, SIGTERM), 1));
    (void)pthread_sigmask(SIG_SETMASK, NULL, &own);
    cr_assert(zero(int, sigismember(&own, SIGTERM)), "the caller gets its own back");
}
