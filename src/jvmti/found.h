/* Threads that began before thread events were on: which of Java's is which of the system's. */

#ifndef JVMTI_FOUND_H
#define JVMTI_FOUND_H

#include <jni.h>
#include <stdint.h>

/* Add those that a name tells, the calling one, and main, whose number that is. A runtime may cut
 * names for the system, so one that two threads have there tells nothing. */
void jvmti_found_add(JNIEnv *env, uint32_t main);

#endif
