/* The pair of begin and end with nothing wrong takes no lock, allocates nothing and makes no system
 * call. Counted: by the linker's --wrap, and by a filter that traps every call of the loop's
 * thread.
 *
 * usage: pairs [PAIRS] */

#include "monitor/watch/methodbeat_watch.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

static _Atomic(uint64_t) system_calls;
static _Atomic(uint64_t) others; /* allocations and locks of the loop's thread */
static _Thread_local bool counts;

#define WRAP(type, name, parameters, arguments) \
    extern type __real_##name parameters;       \
    type __wrap_##name parameters;              \
    type __wrap_##name parameters               \
    {                                           \
        atomic_fetch_add(&others, counts);      \
        return __real_##name arguments;         \
    }

WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t count, size_t size), (count, size))
WRAP(void *, realloc, (void *place, size_t size), (place, size))
WRAP(int, pthread_mutex_lock, (pthread_mutex_t * lock), (lock))

static void trap(int signal)
{
    (void)signal;
    atomic_fetch_add(&system_calls, 1);
}

/* Only for the calling thread. What is trapped does not happen. */
static bool count_system_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    (void)signal(SIGSYS, trap);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static _Atomic(int) step; /* 1: the filter is there; 2: it cannot be had; 3: done */
static uint64_t pairs = 10000000;

static void *run_loop(void *unused)
{
    watch_begin(); /* the first one makes this thread a loop's */
    watch_end();
    bool is_there = count_system_calls();
    atomic_store(&step, is_there ? 1 : 2);
    if (is_there) {
        counts = true;
        for (uint64_t i = 0; i < pairs; i++) {
            watch_begin();
            watch_end();
        }
        counts = false;
    }
    atomic_store(&step, is_there ? 3 : 2);
    for (;;) { /* a thread cannot end without system calls */
        atomic_signal_fence(memory_order_seq_cst);
        if (atomic_load(&step) == 4) {
            break;
        }
    }
    return unused;
}

int main(int count, char **values)
{
    pthread_t loop;
    const struct timespec pause = {.tv_nsec = 1000000};

    pairs = count > 1 ? strtoull(values[1], NULL, 10) : pairs;
    if (!watch_start() || pthread_create(&loop, NULL, run_loop, NULL) != 0) {
        return 1;
    }
    while (atomic_load(&step) < 2) {
        (void)nanosleep(&pause, NULL);
    }
    if (atomic_load(&step) == 2) {
        (void)printf("no filter of system calls here: skipped\n");
        return 77;
    }
    uint64_t calls = atomic_load(&system_calls);
    uint64_t found = atomic_load(&others);
    (void)printf("%llu pairs: %llu system calls, %llu allocations and locks\n",
                 (unsigned long long)pairs, (unsigned long long)calls, (unsigned long long)found);
    (void)fflush(stdout);
    /* A watcher that rested is woken once, and has looked before. */
    struct watch_counters counters;
    watch_read_counters(&counters);
    _Exit(calls <= counters.looks + 1 && found == 0 ? 0 : 1);
}
