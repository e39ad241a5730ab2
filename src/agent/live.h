/* Probes into the classes of a JVM that runs already, and out of them again. */

#ifndef AGENT_LIVE_H
#define AGENT_LIVE_H

#include "abi/attach.h"
#include "agent/setup.h"

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

/* How many classes went through the hook once more. */
struct agent_pass {
    size_t passed;
    size_t refused; /* by the JVM: they are as they were */
};

/* All loaded classes that the rules do not leave out; some at a time where a program is running.
 * Ends early when its task is stale (task.h). */
struct agent_pass agent_retransform_wanted(JNIEnv *env, bool is_running);

/* Those that got probes, some at a time. */
struct agent_pass agent_retransform_woven(JNIEnv *env);

/* Of the hook: the JVM has shown this class, NULL for one that is being loaded, and it is woven. */
void agent_live_see(JNIEnv *env, jclass type);

/* A class that the boot loader has brought; name may be NULL. */
void agent_count_boot(JNIEnv *env, const char *name);

/* MethodBeat.start with these settings. */
enum abi_attach_result agent_start_recording(JNIEnv *env, struct agent_settings settings);
void agent_stop_recording(JNIEnv *env);

#endif
