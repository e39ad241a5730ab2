/* What the agent puts into a JVM that has started: the Java half of the recorder, the bridge that
 * probes call, and the settings. */

#ifndef AGENT_SETUP_H
#define AGENT_SETUP_H

#include "abi/attach.h"

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

/* Of the recorder or the monitors, each "name=value". */
struct agent_settings {
    const char *const *texts;
    size_t count;
};

/* Make them properties, which Java's half reads as it starts. */
bool agent_set_properties(JNIEnv *env, struct agent_settings settings);

/* Until it is done once in a process. If not, a line says why; a later try goes on from there. */
enum abi_attach_result agent_setup(JNIEnv *env);

/* ---- The Java half of the recorder, which the agent brings along: made by embed.py ---- */

struct agent_class {
    const char *name; /* internal form */
    const unsigned char *bytes;
    size_t size;
};

/* Supertypes first. */
extern const struct agent_class agent_classes[];
extern const size_t agent_class_count;

#endif
