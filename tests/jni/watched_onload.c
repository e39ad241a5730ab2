/* The library with an eye on JNI: a call while the calling thread holds the recorder's lock ends
 * the process. On ART such a call may wait for a collector that waits for another thread's critical
 * native method, which waits for the lock. Takes the place of jni/onload.c. */
#include "jni/monitors.h"
#include "jni/probes.h"
#include "recorder/core.h"

#include <jvmti.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct JNINativeInterface_ real;
static atomic_ulong calls;

/* glibc notes the owner of every mutex. */
static void look(const char *name)
{
    if (beat_recorder.lock.__data.__owner == (int)syscall(SYS_gettid)) {
        (void)fprintf(stderr, "%s under the recorder's lock\n", name);
        _exit(66);
    }
    atomic_fetch_add(&calls, 1);
}

/* All that src/jni calls (lock.py compares), with their parameters and arguments. */
#define WATCHED                                                                                    \
    RESULT(jint, GetJavaVM, (JNIEnv * env, JavaVM * *vm), (env, vm))                               \
    RESULT(jobject, NewGlobalRef, (JNIEnv * env, jobject o), (env, o))                             \
    RESULT(jsize, GetArrayLength, (JNIEnv * env, jarray a), (env, a))                              \
    RESULT(jobject, GetObjectArrayElement, (JNIEnv * env, jobjectArray a, jsize i), (env, a, i))   \
    RESULT(jsize, GetStringLength, (JNIEnv * env, jstring s), (env, s))                            \
    RESULT(jobject, NewDirectByteBuffer, (JNIEnv * env, void *p, jlong n), (env, p, n))            \
    RESULT(jclass, FindClass, (JNIEnv * env, const char *n), (env, n))                             \
    RESULT(jint, RegisterNatives, (JNIEnv * env, jclass c, const JNINativeMethod *m, jint n),      \
           (env, c, m, n))                                                                         \
    RESULT(jobject, CallStaticObjectMethodA, (JNIEnv * e, jclass c, jmethodID m, const jvalue *v), \
           (e, c, m, v))                                                                           \
    RESULT(jboolean, ExceptionCheck, (JNIEnv * env), (env))                                        \
    RESULT(jmethodID, GetStaticMethodID, (JNIEnv * env, jclass c, const char *n, const char *s),   \
           (env, c, n, s))                                                                         \
    RESULT(jbyteArray, NewByteArray, (JNIEnv * env, jsize n), (env, n))                            \
    RESULT(jint, PushLocalFrame, (JNIEnv * env, jint n), (env, n))                                 \
    RESULT(jobject, PopLocalFrame, (JNIEnv * env, jobject o), (env, o))                            \
    NOTHING(CallStaticVoidMethodA, (JNIEnv * env, jclass c, jmethodID m, const jvalue *v),         \
            (env, c, m, v))                                                                        \
    NOTHING(DeleteGlobalRef, (JNIEnv * env, jobject o), (env, o))                                  \
    NOTHING(ExceptionClear, (JNIEnv * env), (env))                                                 \
    NOTHING(DeleteLocalRef, (JNIEnv * env, jobject o), (env, o))                                   \
    NOTHING(GetStringRegion, (JNIEnv * env, jstring s, jsize i, jsize n, jchar * u),               \
            (env, s, i, n, u))                                                                     \
    NOTHING(SetByteArrayRegion, (JNIEnv * env, jbyteArray a, jsize i, jsize n, const jbyte *v),    \
            (env, a, i, n, v))                                                                     \
    NOTHING(GetLongArrayRegion, (JNIEnv * env, jlongArray a, jsize i, jsize n, jlong * v),         \
            (env, a, i, n, v))                                                                     \
    NOTHING(SetIntArrayRegion, (JNIEnv * env, jintArray a, jsize i, jsize n, const jint *v),       \
            (env, a, i, n, v))                                                                     \
    NOTHING(SetLongArrayRegion, (JNIEnv * env, jlongArray a, jsize i, jsize n, const jlong *v),    \
            (env, a, i, n, v))

#define RESULT(type, name, parameters, arguments) \
    static type JNICALL watched_##name parameters \
    {                                             \
        look(#name);                              \
        return real.name arguments;               \
    }
#define NOTHING(name, parameters, arguments)      \
    static void JNICALL watched_##name parameters \
    {                                             \
        look(#name);                              \
        real.name arguments;                      \
    }
WATCHED
#undef RESULT
#undef NOTHING

/* A test that saw nothing has proven nothing. */
static void tell(void)
{
    (void)fprintf(stderr, "watched %lu calls\n", atomic_load(&calls));
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    void *env = NULL;
    void *tools = NULL;

    (void)reserved;
    if ((*vm)->GetEnv(vm, &env, JNI_VERSION_1_6) != JNI_OK ||
        (*vm)->GetEnv(vm, &tools, JVMTI_VERSION_1_2) != JNI_OK) {
        return JNI_ERR;
    }
    real = **(JNIEnv *)env;
    struct JNINativeInterface_ watched = real;
#define RESULT(type, name, parameters, arguments) watched.name = watched_##name;
#define NOTHING(name, parameters, arguments) watched.name = watched_##name;
    WATCHED
    jvmtiEnv *jvmti = tools;
    if ((*jvmti)->SetJNIFunctionTable(jvmti, &watched) != JVMTI_ERROR_NONE) {
        return JNI_ERR;
    }
    (void)atexit(tell);
    return jni_probes_register(env) && jni_monitors_register(vm, env) ? JNI_VERSION_1_6 : JNI_ERR;
}
