/* How earlier processes of the program ended, which Android's Java knows. */

#ifndef JNI_EXITS_H
#define JNI_EXITS_H

#include "watch/methodbeat_watch.h"

#include <jni.h>
#include <stdbool.h>

/* Find what is called; type is NativeMonitors, kept. False, with an exception, if it is not
 * there. */
bool jni_exits_find(JNIEnv *env, jclass type);

/* What struct watch_host wants, of a thread that Java knows. */
void jni_exits_ask(JNIEnv *env, struct watch_exits *exits);
void jni_exits_told(JNIEnv *env);
void jni_exits_note(JNIEnv *env, const char *incident);

#endif
