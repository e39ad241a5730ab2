/* The sampler in a JVM: which threads there are, and what their stacks name. */

#ifndef AGENT_SAMPLING_H
#define AGENT_SAMPLING_H

#include "agent/setup.h"
#include "jni/monitors.h"
#include "recorder/methodbeat.h"
#include "sampler/sampler.h"

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* ---- Engines: how the stack of a thread is had (sampler/sampler.h) ---- */

/* HotSpot's AsyncGetCallTrace, called by the thread itself in a signal handler. False if this JVM
 * has none, or no signal is free. The handler stays: a signal may be late. */
bool agent_agct_open(void);
bool agent_agct_ask(struct samp_thread *thread, uint64_t question);
bool agent_agct_is_lost(struct samp_thread *thread);

/* Takes one stack without a sampler, innermost frame first, most frames at most. The thread must
 * not end meanwhile. Returns the frame count, an error code of AsyncGetCallTrace (<= 0), or 0 if
 * the thread does not answer. For one thread at a time. */
int32_t agent_agct_look(uint32_t thread_id, struct samp_frame *frames, int32_t most);

/* ---- Stacks for the monitors, also while Java cannot run ---- */

extern const struct jni_stacks agent_watched_stacks;

#endif
