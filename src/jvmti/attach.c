/* The entry point of Android's library as an agent: Debug.attachJvmtiAgent in an app that may be
 * debugged. It samples whatever session asks for it, until the process ends. */

#include "abi/attach.h"
#include "jvmti/found.h"
#include "jvmti/runtime.h"
#include "recorder/core.h"
#include "recorder/foreign.h"

#include <unistd.h>

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
    jvmti_found_add(env, find_main());
    return ABI_ATTACH_DONE;
}
