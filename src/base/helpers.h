/* Threads of methodbeat inside another program: they block its signals. */

#ifndef BASE_HELPERS_H
#define BASE_HELPERS_H

#include <pthread.h>

/* A detached thread with a stack of a megabyte. Returns an error number. */
int mb_helper_create(pthread_t *thread, void *(*run)(void *argument), void *argument);

#endif
