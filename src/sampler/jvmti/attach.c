/* The entry point of Android's library as an agent: Debug.attachJvmtiAgent in an app that may be
 * debugged. It samples whatever session asks for it, until the process ends. */

#include "abi/attach.h"
#include "recorder/core.h"
#include "recorder/foreign.h"
#include "recorder/name.h"
#include "sampler/jvmti/runtime.h"
#include "sampler/threads.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Threads that began before thread events were on ---- */

#define SYSTEM_NAME 15u

/* Of the system's threads. */
struct task {
    uint32_t thread_id;
    char name[ABI_TRACE_NAME_SIZE];
};

struct tasks {
    size_t count;
    struct task rows[SAMP_MOST_THREADS];
};

static void list_tasks(struct tasks *tasks)
{
    DIR *folder = opendir("/proc/self/task");

    tasks->count = 0;
    for (struct dirent *entry = NULL;
         folder != NULL && tasks->count < SAMP_MOST_THREADS && (entry = readdir(folder)) != NULL;) {
        struct task task = {.thread_id = (uint32_t)strtoul(entry->d_name, NULL, 10)};
        if (task.thread_id != 0) {
            beat_name_of_thread(task.name, task.thread_id);
            tasks->rows[tasks->count++] = task;
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}

/* The first bytes of the name are the system's, or the last, where Android finds a package in it.
 */
static bool can_be(const struct task *task, const char *name)
{
    size_t size = strlen(name);
    size_t skipped = size > SYSTEM_NAME ? size - SYSTEM_NAME : 0;

    return strncmp(task->name, name, SYSTEM_NAME) == 0 ||
           (skipped > 0 && strcmp(task->name, name + skipped) == 0);
}

/* The only one that can have the name; 0 if none, or several. */
static uint32_t find_task(const struct tasks *tasks, const char *name)
{
    uint32_t found = 0;
    size_t count = 0;

    for (size_t i = 0; i < tasks->count; i++) {
        if (can_be(&tasks->rows[i], name)) {
            found = tasks->rows[i].thread_id;
            count++;
        }
    }
    return count == 1 && name[0] != '\0' ? found : 0;
}

struct named {
    uint32_t thread_id;
    jthread thread;
    char name[ABI_TRACE_NAME_SIZE];
};

/* Two of Java's that may be one of the system's: neither is. */
static bool is_shared(const struct named *all, jint count, jint own)
{
    for (jint i = 0; i < count; i++) {
        if (i != own && all[i].thread_id == all[own].thread_id) {
            return true;
        }
    }
    return false;
}

static void name_threads(JNIEnv *env, struct named *all, jint count, const struct tasks *tasks,
                         uint32_t main)
{
    jvmtiEnv *jvmti = jvmti_runtime_env();
    jthread own = NULL;

    (void)(*jvmti)->GetCurrentThread(jvmti, &own);
    for (jint i = 0; i < count; i++) {
        bool is_own = own != NULL && (*env)->IsSameObject(env, all[i].thread, own) != JNI_FALSE;
        jvmti_thread_name(env, all[i].thread, all[i].name);
        all[i].thread_id = is_own                             ? jvmti_own_id()
                           : strcmp(all[i].name, "main") == 0 ? main
                                                              : find_task(tasks, all[i].name);
    }
    (*env)->DeleteLocalRef(env, own);
}

static void add_named(JNIEnv *env, const struct named *all, jint count, uint32_t main)
{
    for (jint i = 0; i < count; i++) {
        if (all[i].thread_id != 0 && !is_shared(all, count, i)) {
            jvmti_thread_add(env, all[i].thread, all[i].thread_id, all[i].thread_id == main);
        }
        (*env)->DeleteLocalRef(env, all[i].thread);
    }
}

/* Add those that a name tells, the calling one, and main, whose number that is. A runtime may cut
 * names for the system, so one that two threads have there tells nothing. */
static void add_found(JNIEnv *env, uint32_t main)
{
    jvmtiEnv *jvmti = jvmti_runtime_env();
    jthread *threads = NULL;
    jint count = 0;
    struct tasks *tasks = malloc(sizeof(*tasks));

    if (tasks == NULL || (*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE) {
        count = 0;
    }
    struct named *all = calloc((size_t)count + 1, sizeof(*all));
    for (jint i = 0; all != NULL && i < count; i++) {
        all[i].thread = threads[i];
    }
    if (all != NULL && count > 0) {
        list_tasks(tasks);
        name_threads(env, all, count, tasks, main);
        add_named(env, all, count, main);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
    free(all);
    free(tasks);
}

/* Another copy of the library than the one that the app's classes are bound to has a recorder of
 * its own, in which nothing is recorded. */
static bool is_in_use(void)
{
    struct beat_recorder *recorder = beat_lock();
    bool is_bound = recorder->expects_samples;

    beat_unlock(recorder);
    return is_bound;
}

/* The process's first thread, as on Android, where no other has become main. */
static uint32_t find_main(void)
{
    int32_t main = beat_foreign_main_thread();

    return (uint32_t)(main > 0 ? main : getpid());
}

/* What fails is the caller's to tell. */
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    void *env = NULL;

    (void)options;
    (void)reserved;
    if (!is_in_use()) {
        return ABI_ATTACH_OTHER_BUILD;
    }
    if ((*vm)->GetEnv(vm, &env, JNI_VERSION_1_6) != JNI_OK || !jvmti_runtime_open(vm) ||
        !jvmti_runtime_start(env, &jvmti_engine)) {
        return ABI_ATTACH_FAILED;
    }
    add_found(env, find_main());
    return ABI_ATTACH_DONE;
}
