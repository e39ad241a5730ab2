#include "agent/task.h"

#include "base/helpers.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct task {
    agent_task_fn *run; /* NULL if none */
    char *text;
};

static struct {
    pthread_mutex_t lock;
    JavaVM *vm;
    struct task next;
    bool has_thread;
    enum abi_attach_result result;
} tasks = {.lock = PTHREAD_MUTEX_INITIALIZER, .result = ABI_ATTACH_NOT_ATTACHED};

static _Atomic(bool) is_stale;
static _Atomic(jint) done_count;
static _Atomic(jint) all_count;

/* The one that waits. Without one the thread ends, and the result is that of the last one. */
static struct task take_task(enum abi_attach_result result)
{
    (void)pthread_mutex_lock(&tasks.lock);
    struct task task = tasks.next;
    tasks.next = (struct task){0};
    tasks.has_thread = task.run != NULL;
    tasks.result = result;
    atomic_store(&is_stale, false);
    (void)pthread_mutex_unlock(&tasks.lock);
    return task;
}

/* What the JVM and we took to change classes: each attach has a thread of its own, whose pool of
 * memory would keep it, and the next may get another. */
static void give_back(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

static void *run_tasks(void *unused)
{
    static char name[] = AGENT_TASK_THREAD;
    JavaVMAttachArgs args = {JNI_VERSION_1_6, name, NULL};
    enum abi_attach_result result = ABI_ATTACH_FAILED;
    void *env = NULL;
    bool is_in = (*tasks.vm)->AttachCurrentThreadAsDaemon(tasks.vm, &env, &args) == JNI_OK;

    for (struct task task = take_task(result); task.run != NULL; task = take_task(result)) {
        result = is_in ? task.run(env, task.text) : ABI_ATTACH_FAILED;
        free(task.text);
    }
    if (is_in) {
        (void)(*tasks.vm)->DetachCurrentThread(tasks.vm);
    }
    give_back();
    return unused;
}

/* Under the lock. */
static bool put_task(agent_task_fn *run, char *text)
{
    pthread_t thread;

    if (!tasks.has_thread && mb_helper_create(&thread, run_tasks, NULL) != 0) {
        free(text);
        return false;
    }
    free(tasks.next.text);
    tasks.next = (struct task){run, text};
    atomic_store(&is_stale, tasks.has_thread);
    agent_task_tell(0, 0);
    tasks.has_thread = true;
    return true;
}

enum abi_attach_result agent_task_begin(JavaVM *vm, agent_task_fn *run, const char *text)
{
    char *copy = strdup(text);

    (void)pthread_mutex_lock(&tasks.lock);
    tasks.vm = vm;
    bool is_put = copy != NULL && put_task(run, copy);
    (void)pthread_mutex_unlock(&tasks.lock);
    return is_put ? ABI_ATTACH_GOING : ABI_ATTACH_FAILED;
}

jint agent_task_ask(bool wants_all)
{
    (void)pthread_mutex_lock(&tasks.lock);
    jint result = tasks.has_thread
                      ? ABI_ATTACH_GOING + atomic_load(wants_all ? &all_count : &done_count)
                      : (jint)tasks.result;
    (void)pthread_mutex_unlock(&tasks.lock);
    return result;
}

bool agent_task_is_stale(void)
{
    return atomic_load(&is_stale);
}

void agent_task_tell(size_t done, size_t all)
{
    atomic_store(&done_count, (jint)done);
    atomic_store(&all_count, (jint)all);
}
