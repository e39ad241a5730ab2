#include "sampler/threads.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/pages.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    struct samp_thread *all;
    _Atomic(uint32_t) count; /* those from here on were never in use */
    _Atomic(uint64_t) left_out;
} threads = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool samp_threads_init(void)
{
    (void)pthread_mutex_lock(&threads.lock);
    if (threads.all == NULL) {
        /* For good: a signal may be late. */
        threads.all = mb_map_zeroes(SAMP_MOST_THREADS, sizeof(*threads.all));
    }
    bool is_there = threads.all != NULL;
    (void)pthread_mutex_unlock(&threads.lock);
    return is_there;
}

uint32_t samp_threads_count(void)
{
    /* Acquire: those below are there. */
    return atomic_load_explicit(&threads.count, memory_order_acquire);
}

struct samp_thread *samp_threads_at(uint32_t number)
{
    assert(number < samp_threads_count());
    return &threads.all[number];
}

uint32_t samp_threads_number(const struct samp_thread *thread)
{
    assert(thread >= threads.all && thread < threads.all + SAMP_MOST_THREADS);
    return (uint32_t)(thread - threads.all);
}

/* NULL: all are in use. Under the lock. */
static struct samp_thread *find_free(void)
{
    uint32_t count = samp_threads_count();

    for (uint32_t i = 0; i < count; i++) {
        if (samp_thread_state(&threads.all[i]) == SAMP_THREAD_FREE) {
            return &threads.all[i];
        }
    }
    if (count == SAMP_MOST_THREADS) {
        return NULL;
    }
    atomic_store_explicit(&threads.count, count + 1, memory_order_release);
    return &threads.all[count];
}

/* NULL: none such. Under the lock. */
static struct samp_thread *find_live(uint32_t thread_id)
{
    for (uint32_t i = 0; i < samp_threads_count(); i++) {
        struct samp_thread *thread = &threads.all[i];
        if (samp_thread_state(thread) == SAMP_THREAD_LIVE && thread->thread_id == thread_id) {
            return thread;
        }
    }
    return NULL;
}

bool samp_threads_add(const struct samp_thread *description)
{
    (void)pthread_mutex_lock(&threads.lock);
    bool is_new = threads.all != NULL && find_live(description->thread_id) == NULL;
    struct samp_thread *thread = is_new ? find_free() : NULL;
    if (thread != NULL) {
        thread->thread_id = description->thread_id;
        thread->is_main = description->is_main;
        memcpy(thread->name, description->name, sizeof(thread->name));
        thread->handle = description->handle;
        thread->added_ns = mb_clock_now_ns();
        thread->began = (struct beat_usage){0};
        thread->ended = (struct beat_usage){0};
        (void)beat_usage_read(&thread->began, thread->thread_id);
        thread->told_session = 0;
        thread->lost = 0;
        thread->is_known = false;
        thread->root = NULL;
        thread->is_idle = false;
        thread->track = (struct samp_track){0};
        thread->parked = (struct samp_wait){0};
        thread->blocked = (struct samp_wait){0};
        atomic_store_explicit(&thread->state, SAMP_THREAD_LIVE, memory_order_release);
    }
    threads.left_out += is_new && thread == NULL;
    (void)pthread_mutex_unlock(&threads.lock);
    return thread != NULL;
}

void samp_threads_leave_out(uint64_t count)
{
    threads.left_out += count;
}

uint64_t samp_threads_left_out(void)
{
    return threads.left_out;
}

void samp_threads_end(uint32_t thread_id)
{
    (void)pthread_mutex_lock(&threads.lock);
    struct samp_thread *thread = find_live(thread_id);
    if (thread != NULL) {
        (void)beat_usage_read(&thread->ended, thread_id);
        atomic_store_explicit(&thread->state, SAMP_THREAD_ENDED, memory_order_release);
    }
    (void)pthread_mutex_unlock(&threads.lock);
}

struct samp_thread *samp_threads_own(uint32_t thread_id)
{
    static MB_THREAD_LOCAL struct samp_thread *own;

    if (own == NULL || samp_thread_state(own) != SAMP_THREAD_LIVE || own->thread_id != thread_id) {
        (void)pthread_mutex_lock(&threads.lock);
        own = find_live(thread_id);
        (void)pthread_mutex_unlock(&threads.lock);
    }
    return own;
}

bool samp_threads_lock_live(struct samp_thread *thread)
{
    (void)pthread_mutex_lock(&threads.lock);
    if (samp_thread_state(thread) == SAMP_THREAD_LIVE) {
        return true;
    }
    (void)pthread_mutex_unlock(&threads.lock);
    return false;
}

void samp_threads_unlock(void)
{
    (void)pthread_mutex_unlock(&threads.lock);
}

bool samp_threads_free(struct samp_thread *thread)
{
    /* A live one may be about to end: samp_threads_end would make it ended after it was freed. */
    (void)pthread_mutex_lock(&threads.lock);
    bool is_free = samp_box_clear(&thread->box);
    if (is_free) {
        thread->handle = NULL;
        /* Release: the next thread that takes it finds it cleared. */
        atomic_store_explicit(&thread->state, SAMP_THREAD_FREE, memory_order_release);
    }
    (void)pthread_mutex_unlock(&threads.lock);
    return is_free;
}

void samp_threads_abandon(void)
{
    (void)pthread_mutex_init(&threads.lock, NULL);
    for (uint32_t i = 0; i < samp_threads_count(); i++) {
        atomic_store_explicit(&threads.all[i].state, SAMP_THREAD_FREE, memory_order_relaxed);
    }
}

/* ---- What the kernel tells of a thread ---- */

/* A text that ends with 0; "" if the thread has ended. */
static void read_file(uint32_t thread_id, const char *name, char *text, size_t size)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/self/task/%" PRIu32 "/%s", thread_id, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t got = fd >= 0 ? read(fd, text, size - 1) : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    text[got > 0 ? got : 0] = '\0';
}

bool samp_task_is_runnable(uint32_t thread_id)
{
    char line[128]; /* number and name come first, which is in brackets and may hold some */

    read_file(thread_id, "stat", line, sizeof(line));
    const char *behind_name = strrchr(line, ')');
    return behind_name != NULL && strncmp(behind_name, ") R", 3) == 0;
}

/* Names with line ends are escaped there. */
uint64_t samp_task_signals(uint32_t thread_id, const char *set)
{
    char text[4096];

    read_file(thread_id, "status", text, sizeof(text));
    const char *line = strstr(text, set);
    return line != NULL ? strtoull(line + strlen(set), NULL, 16) : 0;
}
