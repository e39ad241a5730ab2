#include "jni/monitors.h"
#include "jni/probes.h"
#include "recorder/sections.h"

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    void *env = NULL;

    (void)reserved;
    if ((*vm)->GetEnv(vm, &env, JNI_VERSION_1_6) != JNI_OK || !jni_probes_register(env)) {
        return JNI_ERR;
    }
    if (jni_monitors_register(vm, env)) { /* recording does without */
        beat_sections_expect_samples();
    }
    return JNI_VERSION_1_6;
}

JNIEXPORT void JNICALL JNI_OnUnload(JavaVM *vm, void *reserved)
{
    /* The library stays: threads may be inside a probe. atexit stops the recorder. */
    (void)vm;
    (void)reserved;
}
