/* Calls that go on in the code that they were entered in, though their methods have other code by
 * now: no probe tells of them. */

#ifndef AGENT_INSIDE_H
#define AGENT_INSIDE_H

#include <jni.h>

/* Count them for the report, in all threads but virtual ones, of which the JVM tells nothing. One
 * thread at a time stands still. */
void agent_count_inside(JNIEnv *env);

/* Show their methods, which have ids of their own, the same way. */
typedef void agent_visit(JNIEnv *env, jmethodID method);
void agent_visit_inside(JNIEnv *env, agent_visit *visit);

#endif
