/* Calls between C and Java: rows of native methods, exceptions that are pending, classes to keep.
 */

#ifndef JNI_EXCEPTIONS_H
#define JNI_EXCEPTIONS_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* A row of JNINativeMethod, whose texts are not const. */
#define JNI_METHOD(name, signature, function)                                                    \
    {                                                                                            \
        (char *)(uintptr_t)(name), (char *)(uintptr_t)(signature), (void *)(uintptr_t)(function) \
    }

/* True if one was pending; it is cleared. */
static inline bool jni_forget_exception(JNIEnv *env)
{
    bool was_pending = (*env)->ExceptionCheck(env) != JNI_FALSE;

    if (was_pending) {
        (*env)->ExceptionClear(env);
    }
    return was_pending;
}

/* As a global reference; NULL without that class, and no exception is pending. */
static inline jclass jni_find_class(JNIEnv *env, const char *name)
{
    jclass type = (*env)->FindClass(env, name);
    jclass held = type != NULL ? (*env)->NewGlobalRef(env, type) : NULL;

    (void)jni_forget_exception(env);
    (*env)->DeleteLocalRef(env, type);
    return held;
}

#endif
