#include "base/helpers.h"

#include <signal.h>

#define STACK_SIZE ((size_t)1 << 20) /* as a JVM's threads have: some run Java; musl gives less */

int mb_helper_create(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    sigset_t every;
    sigset_t before;
    pthread_attr_t attributes;

    int error = pthread_attr_init(&attributes);
    if (error != 0) {
        return error;
    }
    (void)pthread_attr_setstacksize(&attributes, STACK_SIZE);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)sigfillset(&every);
    (void)pthread_sigmask(SIG_SETMASK, &every, &before);
    error = pthread_create(thread, &attributes, run, argument);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return error;
}
