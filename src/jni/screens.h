/* The Java boundary of what a program tells of its windows, frames and start: methodbeat_watch.h as
 * seen by methodbeat.NativeMonitors. */

#ifndef JNI_SCREENS_H
#define JNI_SCREENS_H

#include <jni.h>
#include <stdbool.h>

/* Bind the methods of the class. False, with an exception, if it has not all of them. */
bool jni_screens_bind(JNIEnv *env, jclass type);

#endif
