/* The recorder's options from an array of Java's texts "name=value". */

#ifndef JNI_SETTINGS_H
#define JNI_SETTINGS_H

#include "recorder/methodbeat.h"

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

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
