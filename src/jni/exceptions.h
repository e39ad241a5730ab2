/* Exceptions that are pending after calls into Java. */

#ifndef JNI_EXCEPTIONS_H
#define JNI_EXCEPTIONS_H

#include <jni.h>
#include <stdbool.h>

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
