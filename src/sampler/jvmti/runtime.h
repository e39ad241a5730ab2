/* A runtime with JVMTI, as the sampler sees it: which threads there are, what their stacks name,
 * and which locks they wait for. One of the process. */

#ifndef SAMPLER_JVMTI_RUNTIME_H
#define SAMPLER_JVMTI_RUNTIME_H

#include "sampler/sampler.h"

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Add a thread, which the runtime has under that reference (jvmti_thread_add). */
typedef void jvmti_add_owner(JNIEnv *env, jthread thread);

typedef void jvmti_find_takers(uint32_t kind, void *lock, const struct samp_frame *frames,
                               size_t count, struct samp_place *places);

/* Get an environment with events of its own. False: this runtime has no JVMTI. */
bool jvmti_runtime_open(JavaVM *vm);

/* NULL before that. */
jvmtiEnv *jvmti_runtime_env(void);

/* The calling thread's; NULL: it is not one of Java's. */
JNIEnv *jvmti_runtime_jni(void);

/* GetStackTrace. Another engine may have all of it but kind, is_direct and ask. */
extern const struct samp_engine jvmti_engine;

/* It takes no samples: it tells waits for locks only, of threads that are added as they wait.
 * add_owner adds those that they wait for; find_takers is the engine's. */
const struct samp_engine *jvmti_waits_engine(jvmti_add_owner *add_owner,
                                             jvmti_find_takers *find_takers);

/* Begin to sample by that engine, which stays what it is; threads that begin from now on are added
 * by themselves. False: no thread is to be had. */
bool jvmti_runtime_start(JNIEnv *env, const struct samp_engine *engine);

/* Returns when no thread is sampled any more. Without effect if it was not started. */
void jvmti_runtime_stop(JNIEnv *env);

/* The same, but another engine is started at once. */
void jvmti_runtime_pause(JNIEnv *env);

/* Frames keep their names from now on, whether threads are sampled or not. Any thread. */
void jvmti_runtime_keep_frames(JNIEnv *env);

/* The calling thread, whose reference that is, begins to wait for the lock, and goes on; kind is
 * one of enum abi_block_kind. Without effect where waits are not told. */
void jvmti_block_begin(JNIEnv *env, jthread thread, uint32_t kind, jobject lock);
void jvmti_block_end(JNIEnv *env, uint32_t kind);

/* The calling thread's number in the system. */
uint32_t jvmti_own_id(void);

/* Sample this thread, too, which cannot end meanwhile. */
void jvmti_thread_add(JNIEnv *env, jthread object, uint32_t thread_id, bool is_main);

/* Its name as Java has it, which may be longer than the system's; "" if it has ended. */
void jvmti_thread_name(JNIEnv *env, jthread object, char name[ABI_TRACE_NAME_SIZE]);

/* ---- Locks: their classes, and who has them; on a thread of the sampler ---- */

/* The class of a lock, in internal form; of a class, that with .class. */
void jvmti_lock_name(jvmtiEnv *jvmti, JNIEnv *env, jobject lock, char name[ABI_LOCK_NAME_SIZE]);

/* What a parked thread waits for, as a global reference, if that is a lock that one thread has at a
 * time; else NULL. */
jobject jvmti_lock_of_parked(JNIEnv *env, jthread thread);

/* samp_engine.find_takers, of a monitor: a method that is synchronized takes it or not, for
 * certain, and one with a monitorenter some. */
jvmti_find_takers jvmti_monitor_takers;

/* The lock's owner, as a local reference; NULL if none. */
jthread jvmti_synchronizer_owner(JNIEnv *env, jobject lock);

/* Of a monitor, which waiter waits for. Adds to *stopped_ns how long all threads stood for it: not
 * at all, where HotSpot has java.management and both threads are platform threads. */
jthread jvmti_monitor_owner(jvmtiEnv *jvmti, JNIEnv *env, jobject lock, jthread waiter,
                            int64_t *stopped_ns);

#endif
