/* Threads that park for locks of java.util.concurrent, of which a JVM has no event: LockSupport
 * tells them, by a call that the agent puts into it. And which methods take such locks. */

#ifndef AGENT_PARKS_H
#define AGENT_PARKS_H

#include "base/buf.h"
#include "base/text.h"
#include "sampler/jvmti/runtime.h"

#include <jni.h>
#include <stdbool.h>

/* From now on, or no longer. The hook of class files is on meanwhile. A JVM that does not allow it
 * tells of monitors only. */
void agent_parks_set(JNIEnv *env, bool is_on);

/* For the hook: is it that class? It is put to out with the call, if parks are told. */
bool agent_parks_weave(const char *name, struct mb_text content, struct mb_buf *out);

/* samp_engine.find_takers: of a monitor as the runtime knows; else the innermost frame whose code
 * calls lock, lockInterruptibly or tryLock as java.util.concurrent declares them, those of the boot
 * loader's classes left out. */
jvmti_find_takers agent_parks_find_takers;

#endif
