#include "monitor/watch/listeners.h"

#include "base/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LISTENER_COUNT 8u

struct listener {
    void (*heard)(void *context, const struct watch_issue *issue);
    void *context;
};

/* Held during calls, so that a removed listener is not running. */
static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct listener listeners[LISTENER_COUNT];
static _Atomic(uint64_t) issues;
static MB_THREAD_LOCAL bool is_calling;

/* Recursive: listeners may add and remove listeners. */
static void create_lock(void)
{
    pthread_mutexattr_t attributes;

    (void)pthread_mutexattr_init(&attributes);
    (void)pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    (void)pthread_mutex_init(&lock, &attributes);
    (void)pthread_mutexattr_destroy(&attributes);
}

static void take_lock(void)
{
    (void)pthread_once(&once, create_lock);
    (void)pthread_mutex_lock(&lock);
}

/* The place of that pair; NULL if absent. */
static struct listener *find_listener(const struct listener *wanted)
{
    for (size_t i = 0; i < LISTENER_COUNT; i++) {
        if (listeners[i].heard == wanted->heard && listeners[i].context == wanted->context) {
            return &listeners[i];
        }
    }
    return NULL;
}

bool watch_listen(void (*heard)(void *context, const struct watch_issue *issue), void *context)
{
    const struct listener wanted = {heard, context};
    const struct listener nobody = {NULL, NULL};

    take_lock();
    struct listener *place = find_listener(&wanted);
    place = place != NULL ? place : find_listener(&nobody);
    if (place != NULL) {
        *place = wanted;
    }
    (void)pthread_mutex_unlock(&lock);
    return place != NULL;
}

void watch_unlisten(void (*heard)(void *context, const struct watch_issue *issue), void *context)
{
    const struct listener wanted = {heard, context};

    take_lock();
    struct listener *place = find_listener(&wanted);
    if (place != NULL) {
        *place = (struct listener){NULL, NULL};
    }
    (void)pthread_mutex_unlock(&lock);
}

void watch_listeners_notify(const struct watch_issue *issue)
{
    take_lock();
    is_calling = true;
    for (size_t i = 0; i < LISTENER_COUNT; i++) {
        const struct listener listener = listeners[i];
        if (listener.heard != NULL) {
            listener.heard(listener.context, issue);
        }
    }
    is_calling = false;
    (void)pthread_mutex_unlock(&lock);
    atomic_fetch_add(&issues, 1);
}

bool watch_listeners_are_calling(void)
{
    return is_calling;
}

uint64_t watch_listeners_count(void)
{
    return atomic_load(&issues);
}

void watch_listeners_forget(void)
{
    (void)pthread_once(&once, create_lock);
    create_lock();
    is_calling = false;
}
