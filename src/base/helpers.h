/* Threads of ours inside another program: they block its signals, and do not keep it alive. */

#ifndef BASE_HELPERS_H
#define BASE_HELPERS_H

#include <pthread.h>

/* A detached thread that runs begin and end below around its work. Returns an error number. */
int mb_helper_create(pthread_t *thread, void *(*run)(void *argument), void *argument);

/* The calling thread does our work from here on, or no longer: it is about to end, or to call code
 * of the program. */
void mb_helper_begin(void);
void mb_helper_end(void);

/* A process ends with its last thread, as by exit(0) (POSIX, pthread_exit). If the calling thread
 * is the main one and ends before the process, a thread checks four times a second whether only our
 * threads are left, and then calls exit(0). Otherwise no effect. */
void mb_helpers_expect_main_to_end(void);

#endif
