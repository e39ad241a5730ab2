#include "base/helpers.h"

#include <signal.h>

int mb_helper_create(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    sigset_t every;
    sigset_t before;

    (void)sigfillset(&every);
    (void)pthread_sigmask(SIG_SETMASK, &every, &before);
    int error = pthread_create(thread, NULL, run, argument);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0) {
        (void)pthread_detach(*thread);
    }
    return error;
}
