/* The Java boundary of the monitors: watch/methodbeat_watch.h as seen by
 * methodbeat.NativeMonitors. */

#ifndef JNI_MONITORS_H
#define JNI_MONITORS_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* Another way to the stacks of loops than Java's. */
struct jni_stacks {
    bool (*begin)(JNIEnv *env);       /* monitors start; false: there is no other way */
    bool (*take)(uint32_t thread_id); /* of a thread of the system; false: ask Java */
    char *(*tell)(JNIEnv *env); /* the one that was taken last, a function a line; to be freed */
};

/* Before monitors start. */
void jni_monitors_use(const struct jni_stacks *stacks);

/* Bind the native methods and find what is called back. False, and no exception, where the class is
 * not there: a program may be shipped without it. */
bool jni_monitors_register(JavaVM *vm, JNIEnv *env);

#endif
