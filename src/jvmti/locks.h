/* What a JVM knows of locks: the classes of their objects, and who has them. On a thread of the
 * sampler. */

#ifndef JVMTI_LOCKS_H
#define JVMTI_LOCKS_H

#include "sampler/sampler.h"

#include <jvmti.h>

/* The class of a lock, in internal form; of a class, that with .class. */
void jvmti_lock_name(jvmtiEnv *jvmti, JNIEnv *env, jobject lock, char name[ABI_LOCK_NAME_SIZE]);

/* What a parked thread waits for, as a global reference, if that is a lock that one thread has at a
 * time; else NULL. */
jobject jvmti_lock_of_parked(JNIEnv *env, jthread thread);

/* The lock's owner, as a local reference; NULL if none. For a monitor all threads stop. */
jthread jvmti_lock_owner(jvmtiEnv *jvmti, JNIEnv *env, uint32_t kind, jobject lock);

#endif
