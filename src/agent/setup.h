/* What the agent puts into a JVM that has started: the Java half of the recorder, the bridge that
 * probes call, and the settings. */

#ifndef AGENT_SETUP_H
#define AGENT_SETUP_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

/* Of the recorder or the monitors. */
struct agent_setting {
    const char *name;
    char *value; /* behind the name in one text */
};

/* Make them properties, which Java's half reads as it starts. */
bool agent_set_properties(JNIEnv *env, const struct agent_setting *settings, size_t count);

/* Once in a process. False, and a line about it, if this JVM does not take it. */
bool agent_setup(JNIEnv *env);

#endif
