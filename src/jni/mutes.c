#include "jni/mutes.h"

#include <stdatomic.h>
#include <stdbool.h>

/* The VM is stored first. Pairs: release in jni_mutes_take, acquire in jni_mutes_set. */
static JavaVM *machine;
static _Atomic(jbyteArray) mute_table; /* a global reference */

JNIEXPORT void JNICALL jni_mutes_take(JNIEnv *env, jclass type, jbyteArray table)
{
    (void)type;
    if ((*env)->GetJavaVM(env, &machine) == JNI_OK) {
        atomic_store_explicit(&mute_table, (*env)->NewGlobalRef(env, table), memory_order_release);
        beat_on_mute(jni_mutes_set);
    }
}

static void set_states(JNIEnv *env, jbyteArray table, const uint32_t *ids, size_t count,
                       enum beat_state state)
{
    const jbyte value = (jbyte)state;
    const uint32_t size = (uint32_t)(*env)->GetArrayLength(env, table);

    for (size_t i = 0; i < count; i++) {
        if (ids[i] < size) {
            (*env)->SetByteArrayRegion(env, table, (jsize)ids[i], 1, &value);
        }
    }
}

/* A native thread is attached only for this call, so the program sees no thread that stays. */
void jni_mutes_set(const uint32_t *ids, size_t count, enum beat_state state)
{
    jbyteArray table = atomic_load_explicit(&mute_table, memory_order_acquire);
    JavaVMAttachArgs arguments = {.version = JNI_VERSION_1_6, .name = (char[]){"methodbeat"}};
    void *env = NULL;
    void *place = &env; /* as in monitors.c */

    if (table == NULL || count == 0) {
        return;
    }
    bool is_java = (*machine)->GetEnv(machine, &env, JNI_VERSION_1_6) == JNI_OK;
    if (!is_java && (*machine)->AttachCurrentThreadAsDaemon(machine, place, &arguments) != JNI_OK) {
        return;
    }
    set_states(env, table, ids, count, state);
    if (!is_java) {
        (void)(*machine)->DetachCurrentThread(machine);
    }
}
