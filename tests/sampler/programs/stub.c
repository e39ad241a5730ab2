/* The sampler beside threads that answer by themselves: they come and go, recordings end and begin,
 * the process forks.
 *
 * usage: stub FILE MILLISECONDS [forever]
 * Each recording is dumped to FILE.dump, too, before it ends.
 * Each thread "work NUMBER" is half of its time in outer > busy and half in outer > other. */

#include "base/check.h"
#include "base/clock.h"
#include "recorder/method_names.h"
#include "recorder/methodbeat.h"
#include "sampler/sampler.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS 6
#define LIFE_NS (40 * MB_NS_PER_MS)

enum { OUTER = 1, BUSY, OTHER };
static const char names[] = "1,1,T outer ()V\n2,1,T busy ()V\n3,1,T other ()V\n";

/* Of a thread that answers; the sampler may ask late, so each is one thread's for good. */
static struct worker {
    _Atomic(uint64_t) question;
    _Atomic(struct samp_thread *) asked;
} workers[100000];
static _Atomic(uint32_t) worker_count;

static _Atomic(bool) is_over;
static _Atomic(uint32_t) releases;
static _Atomic(uint32_t) adds;

static bool enter_thread(void)
{
    return true;
}

static void leave_thread(void)
{
}

static bool ask_thread(struct samp_thread *thread, uint64_t question)
{
    struct worker *worker = thread->handle;

    atomic_store(&worker->asked, thread);
    atomic_store(&worker->question, question);
    return true;
}

static uint32_t find_state(const struct samp_thread *thread)
{
    (void)thread;
    return ABI_SAMPLE_RUNNING;
}

static void resolve_frames(const struct samp_frame *frames, size_t count, struct samp_place *places)
{
    for (size_t i = 0; i < count; i++) {
        places[i] = (struct samp_place){.id = (uint32_t)(uintptr_t)frames[i].method,
                                        .bci = (uint16_t)frames[i].bci,
                                        .line = (uint32_t)frames[i].bci * 10};
    }
}

static void release_handle(void *handle)
{
    (void)handle;
    atomic_fetch_add(&releases, 1);
}

static struct samp_engine engine = {.kind = ABI_ENGINE_JAVA,
                                    .enter = enter_thread,
                                    .leave = leave_thread,
                                    .ask = ask_thread,
                                    .state = find_state,
                                    .resolve = resolve_frames,
                                    .release = release_handle};

/* As a signal handler would. */
static void answer_question(struct worker *worker, uintptr_t inner)
{
    uint64_t question = atomic_exchange(&worker->question, 0);
    struct samp_thread *thread = atomic_load(&worker->asked);

    if (question == 0 || !samp_box_begin(&thread->box, question)) {
        return;
    }
    thread->box.frames[0] = (struct samp_frame){7, (void *)inner};
    thread->box.frames[1] = (struct samp_frame){inner == BUSY ? 3 : 5, (void *)(uintptr_t)OUTER};
    thread->box.count = 2;
    thread->box.time_ns = mb_clock_now_ns();
    thread->box.took_ns = 1000;
    thread->box.cpu_ns = (uint64_t)mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    samp_box_end(&thread->box);
}

static void work_until(struct worker *worker, int64_t end_ns, uintptr_t inner)
{
    while (mb_clock_now_ns() < end_ns) {
        answer_question(worker, inner);
    }
}

static void *run_worker(void *argument)
{
    struct worker *worker = &workers[atomic_fetch_add(&worker_count, 1)];
    struct samp_thread thread = {.thread_id = (uint32_t)syscall(SYS_gettid), .handle = worker};
    int64_t begin_ns = mb_clock_now_ns();

    (void)snprintf(thread.name, sizeof(thread.name), "work %d", (int)(intptr_t)argument);
    thread.is_main = argument == NULL;
    atomic_fetch_add(&adds, samp_threads_add(&thread));
    work_until(worker, begin_ns + LIFE_NS / 2, BUSY);
    work_until(worker, begin_ns + LIFE_NS, OTHER);
    samp_threads_end(thread.thread_id);
    return NULL;
}

/* One after the other. */
static void *run_lives(void *argument)
{
    pthread_t thread;

    while (!atomic_load(&is_over) && pthread_create(&thread, NULL, run_worker, argument) == 0) {
        (void)pthread_join(thread, NULL);
    }
    return NULL;
}

static void rest(int64_t ms)
{
    const struct timespec nap = {ms / 1000, ms % 1000 * MB_NS_PER_MS};

    (void)nanosleep(&nap, NULL);
}

static bool record(const char *file, int64_t ms)
{
    struct beat_options options;
    char dump[512];

    beat_options_init(&options);
    options.file = file;
    options.sample = BEAT_SAMPLE_ONLY;
    options.sample_main_us = 500;
    options.sample_threads_us = 1000;
    options.main_words = 1024;
    bool is_started = beat_start(&options);
    rest(ms);
    (void)snprintf(dump, sizeof(dump), "%s.dump", file);
    bool is_dumped = beat_dump(dump);
    beat_stop();
    return is_started && is_dumped;
}

/* The child does not sample, and may begin anew. */
static bool fork_once(void)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        samp_stop();
#if defined(MB_UNDER_TSAN) /* which forbids the child a thread */
        _exit(0);
#else
        _exit(samp_start(&engine) ? 0 : 1);
#endif
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
    pthread_t lives[WORKERS];
    bool is_right = argc >= 3;
    int64_t ms = is_right ? atoi(argv[2]) : 0;

    beat_names_expect();
    is_right = is_right && beat_names_add(names, strlen(names)) && samp_start(&engine);
    for (intptr_t i = 0; i < WORKERS; i++) {
        (void)pthread_create(&lives[i], NULL, run_lives, (void *)i);
    }
    do {
        is_right = is_right && record(argv[1], ms) && fork_once();
        samp_stop();
        engine.is_direct = false;
        is_right = is_right && samp_start(&engine) && record(argv[1], ms);
    } while (argc > 3);
    atomic_store(&is_over, true);
    for (int i = 0; i < WORKERS; i++) {
        (void)pthread_join(lives[i], NULL);
    }
    samp_stop();
    (void)printf("%u threads, %u handles released\n", atomic_load(&adds), atomic_load(&releases));
    return is_right ? 0 : 1;
}
