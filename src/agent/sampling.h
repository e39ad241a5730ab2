/* The sampler in a JVM: which threads there are, and what their stacks name. */

#ifndef AGENT_SAMPLING_H
#define AGENT_SAMPLING_H

#include "agent/setup.h"
#include "recorder/methodbeat.h"

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

/* What the environment, the properties and these settings ask for; the last one counts. */
struct beat_options agent_sampling_options(JNIEnv *env, struct agent_settings settings);

/* Settings for a recording without probes: it needs no room for calls. */
struct agent_settings agent_sampling_settings(void);

/* Take samples while the recorded session has room for them, or, where it has none, tell who waits
 * for locks. main: that thread; NULL: it is looked
 * for, and all others that are there. If this JVM does not have it, a line says why, and false. */
bool agent_sampling_start(JNIEnv *env, const struct beat_options *options, jthread main);

/* From now on stacks taken by agent_agct_look have frames with names. False: this JVM has none
 * such. Any thread. */
bool agent_sampling_keep_frames(JNIEnv *env);

/* Returns when no thread is sampled any more. */
void agent_sampling_stop(JNIEnv *env);

#endif
