/* The native half of java/empty: what crossing from Java to C costs with nothing behind it. */
#include <jni.h>
#include <stdint.h>

static void JNICALL empty(JNIEnv *env, jclass type, jint id)
{
    (void)env;
    (void)type;
    (void)id;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved);

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    static char enter[] = "i";
    static char leave[] = "o";
    static char signature[] = "(I)V";
    const JNINativeMethod methods[] = {
        {enter, signature, (void *)(uintptr_t)empty},
        {leave, signature, (void *)(uintptr_t)empty},
    };
    void *env_pointer = NULL;

    (void)reserved;
    if ((*vm)->GetEnv(vm, &env_pointer, JNI_VERSION_1_6) != JNI_OK) {
        return JNI_ERR;
    }
    JNIEnv *env = env_pointer;
    jclass type = (*env)->FindClass(env, "methodbeat/MethodBeat");
    if (type == NULL || (*env)->RegisterNatives(env, type, methods, 2) != JNI_OK) {
        return JNI_ERR;
    }
    return JNI_VERSION_1_6;
}
