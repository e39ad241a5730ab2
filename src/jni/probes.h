/* The Java boundary: libmethodbeat as seen by methodbeat.NativeProbes. Translates, does no more. */

#ifndef JNI_PROBES_H
#define JNI_PROBES_H

#include "recorder/methodbeat.h"

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

/* Counts the changes of what NativeProbes.java declares; Library.java has the same number. */
#define JNI_PROBES_VERSION 11

/* Bind the native methods of methodbeat.NativeProbes (and on Android CriticalProbes). False, with a
 * Java exception pending, if the classes are not there. */
bool jni_probes_register(JNIEnv *env);

/* ---- The recorder's options from Java ---- */

struct jni_settings {
    struct beat_options options; /* borrows from texts */
    char **texts;
    size_t count;
};

/* Default options, the environment's, then those of array. What is not understood costs a line and
 * is left out. mapped: Java writes the rings of its threads. Calls JNI: without the recorder's
 * lock. */
void jni_settings_init(struct jni_settings *settings, JNIEnv *env, jobjectArray array, bool mapped);

void jni_settings_finish(struct jni_settings *settings);

#endif
