/* Probes into the classes of a JVM that runs already, and out of them again. */

#ifndef AGENT_LIVE_H
#define AGENT_LIVE_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

/* Pass all loaded classes through the hook once more, some at a time; those that the JVM refuses
 * stay as they are. Returns how many were passed. */
size_t agent_retransform_all(JNIEnv *env);

/* MethodBeat.start with these settings, "name=value"; false if that is not as asked. */
bool agent_start_recording(JNIEnv *env, const char *const *settings, size_t count);
void agent_stop_recording(JNIEnv *env);

#endif
