/* Preloaded: threads hesitate before one lock in four, each time for another while, so that orders
 * come up that are rare otherwise. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static atomic_uint count;
    int (*lock)(pthread_mutex_t *) = NULL;
    unsigned number = atomic_fetch_add(&count, 1) * 2654435761U;
    struct timespec pause = {0, number >> 30 == 0 ? (long)(number >> 9) : 0}; /* up to 2 ms */

    *(void **)&lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    (void)nanosleep(&pause, NULL);
    return lock(mutex);
}
