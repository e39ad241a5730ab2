/* The Java boundary: libmethodbeat as seen by methodbeat.NativeProbes. Translates, does no more. */

#ifndef JNI_PROBES_H
#define JNI_PROBES_H

#include <jni.h>
#include <stdbool.h>

/* Counts the changes of what NativeProbes.java declares; Library.java has the same number. */
#define JNI_PROBES_VERSION 11

/* Bind the native methods of methodbeat.NativeProbes (and on Android CriticalProbes). False, with a
 * Java exception pending, if the classes are not there. */
bool jni_probes_register(JNIEnv *env);

#endif
