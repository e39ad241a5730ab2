/* What the agent tells run, if that is above it (abi/run.h). */

#ifndef AGENT_NOTICE_H
#define AGENT_NOTICE_H

#include "abi/run.h"

#include <jni.h>
#include <stdbool.h>

/* As the JVM starts: say so, and pass on to the JVMs that it starts what run has for them. */
void agent_notice_start(void);

/* True if the program is among those that are to be recorded, whose main classes and jars globs
 * with ':' between name; NULL: all are. Of a jar that none names its main class decides, which is
 * known once Java runs: true until then. */
bool agent_notice_wants(const char *only);
bool agent_notice_wants_main(JNIEnv *env, const char *only);

/* Nothing happens without run. Any thread. */
void agent_notice_put(enum abi_run_note kind, const char *text);

/* The JVM ends. */
void agent_notice_end(void);

#endif
