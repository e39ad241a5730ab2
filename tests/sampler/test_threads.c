#include "sampler/threads.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool add(uint32_t thread_id, const char *name)
{
    struct samp_thread thread = {.thread_id = thread_id};

    (void)strncpy(thread.name, name, sizeof(thread.name) - 1);
    return samp_threads_add(&thread);
}

Test(threads, are_there_once_and_make_room)
{
    cr_assert(not(add(5, "before the table")));
    cr_assert(samp_threads_init());
    cr_assert(add(5, "a"));
    cr_assert(not(add(5, "a")), "it is there");
    cr_assert(add(6, "b"));
    cr_assert(eq(u32, samp_threads_count(), 2));
    struct samp_thread *first = samp_threads_at(0);
    cr_assert(eq(u32, first->thread_id, 5));
    cr_assert(samp_threads_lock_live(first));
    samp_threads_unlock();
    samp_threads_end(5);
    cr_assert(not(samp_threads_lock_live(first)), "no signal from now on");
    cr_assert(samp_threads_free(first));
    cr_assert(add(7, "c"));
    cr_assert(eq(u32, samp_threads_count(), 2), "in the place of the one that ended");
    cr_assert_str_eq(first->name, "c");
    cr_assert(eq(u32, samp_threads_number(first), 0));
}

Test(threads, stay_while_their_answer_is_on_its_way)
{
    cr_assert(samp_threads_init());
    cr_assert(add(5, "a"));
    struct samp_thread *thread = samp_threads_at(0);
    uint64_t question = samp_box_ask(&thread->box);
    cr_assert(samp_box_begin(&thread->box, question));
    samp_threads_end(5);
    cr_assert(not(samp_threads_free(thread)));
    samp_box_end(&thread->box);
    cr_assert(samp_threads_free(thread));
    cr_assert(not(samp_box_begin(&thread->box, question)), "an old question");
}

Test(threads, have_no_room_for_more)
{
    cr_assert(samp_threads_init());
    for (uint32_t i = 1; i <= SAMP_MOST_THREADS; i++) {
        cr_assert(add(i, "many"));
    }
    cr_assert(not(add(SAMP_MOST_THREADS, "there already")));
    cr_expect(eq(u64, samp_threads_left_out(), 0));
    cr_assert(not(add(SAMP_MOST_THREADS + 1, "one too many")));
    samp_threads_leave_out(2);
    cr_expect(eq(u64, samp_threads_left_out(), 3));
}

Test(box, answers_each_question_once)
{
    struct samp_box box = {0};
    uint64_t first = samp_box_ask(&box);

    cr_assert(not(samp_box_begin(&box, first + 1)));
    cr_assert(samp_box_begin(&box, first));
    cr_assert(not(samp_box_begin(&box, first)), "somebody answers");
    samp_box_end(&box);
    cr_assert(eq(int, samp_box_state(&box), SAMP_BOX_FULL));
    cr_assert(samp_box_clear(&box));
    cr_assert(eq(int, samp_box_state(&box), SAMP_BOX_FREE));
    cr_assert(ne(u64, samp_box_ask(&box), first));
    cr_assert(samp_box_clear(&box), "given up");
    cr_assert(not(samp_box_begin(&box, first + 1)));
}

/* ---- What the kernel tells of a thread ---- */

struct life {
    _Atomic(uint32_t) thread_id;
    _Atomic(bool) is_over;
    bool waits;
};

static void rest(long ms)
{
    const struct timespec nap = {.tv_nsec = ms * 1000000};

    (void)nanosleep(&nap, NULL);
}

static void *live(void *argument)
{
    struct life *life = argument;

    (void)prctl(PR_SET_NAME, "a) S (b"); /* as if it slept */
    atomic_store(&life->thread_id, (uint32_t)syscall(SYS_gettid));
    while (!atomic_load(&life->is_over)) {
        if (life->waits) {
            rest(100); /* who wakes on a busy machine is runnable for a while */
        }
    }
    return NULL;
}

/* How often of a thousand times. */
static int count_runnable(bool waits)
{
    struct life life = {.waits = waits};
    pthread_t thread;
    int count = 0;

    cr_assert(pthread_create(&thread, NULL, live, &life) == 0);
    while (atomic_load(&life.thread_id) == 0) {
        rest(1);
    }
    for (int i = 0; i < 1000; i++) {
        count += samp_task_is_runnable(life.thread_id);
    }
    atomic_store(&life.is_over, true);
    (void)pthread_join(thread, NULL);
    return count;
}

Test(task, that_works_is_runnable)
{
    cr_assert(eq(int, count_runnable(false), 1000));
}

Test(task, that_sleeps_is_not)
{
    cr_assert(lt(int, count_runnable(true), 500));
}

Test(task, that_is_gone_is_not)
{
    cr_assert(not(samp_task_is_runnable(0)));
}
