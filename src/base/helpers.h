/* Threads of ours in a program of others: its signals are not for them, and it does not go on for
 * them. */

#ifndef BASE_HELPERS_H
#define BASE_HELPERS_H

#include <pthread.h>

/* A detached thread that runs begin and end below around its work. Returns an error number. */
int mb_helper_create(pthread_t *thread, void *(*run)(void *argument), void *argument);

/* The calling thread does our work from here on; or no more: it is about to end, or calls what is
 * the program's. */
void mb_helper_begin(void);
void mb_helper_end(void);

/* A process ends with its last thread, as by exit(0) (POSIX, pthread_exit). If the calling thread
 * is the main one, and ends while the process goes on, a thread looks four times a second whether
 * only ours are left, and calls exit(0) then. Else nothing happens. */
void mb_helpers_expect_main_to_end(void);

#endif
