/* The Java boundary of the monitors: watch/methodbeat_watch.h as seen by
 * methodbeat.NativeMonitors. */

#ifndef JNI_MONITORS_H
#define JNI_MONITORS_H

#include <jni.h>
#include <stdbool.h>

/* Bind the native methods and find what is called back. False, and no exception, where the class is
 * not there: a program may be shipped without it. */
bool jni_monitors_register(JavaVM *vm, JNIEnv *env);

#endif
