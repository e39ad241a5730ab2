/* Calls between C and Java: rows of native methods, and exceptions that are pending. */

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

#endif
