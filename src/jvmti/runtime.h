/* A runtime with JVMTI, as the sampler sees it: which threads there are, what their stacks name,
 * and which locks they wait for. One of the process. */

#ifndef JVMTI_RUNTIME_H
#define JVMTI_RUNTIME_H

#include "sampler/sampler.h"

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The runtime has made code there. Any thread. */
typedef void jvmti_note_code(const void *code, size_t size);

/* Get an environment with events of its own. note_code may be NULL. False: this runtime has no
 * JVMTI. */
bool jvmti_runtime_open(JavaVM *vm, jvmti_note_code *note_code);

/* NULL before that. */
jvmtiEnv *jvmti_runtime_env(void);

/* GetStackTrace. Another engine may have all of it but kind, is_direct and ask. */
extern const struct samp_engine jvmti_engine;

/* Begin to sample by that engine, which stays what it is; threads that begin from now on are added
 * by themselves. False: no thread is to be had. */
bool jvmti_runtime_start(JNIEnv *env, const struct samp_engine *engine);

/* Returns when no thread is sampled any more. Without effect if it was not started. */
void jvmti_runtime_stop(JNIEnv *env);

/* Frames keep their names from now on, whether threads are sampled or not. Any thread. */
void jvmti_runtime_keep_frames(JNIEnv *env);

/* The calling thread's number in the system. */
uint32_t jvmti_own_id(void);

/* Sample this thread, too, which cannot end meanwhile. */
void jvmti_thread_add(JNIEnv *env, jthread object, uint32_t thread_id, bool is_main);

/* Its name as Java has it, which may be longer than the system's; "" if it has ended. */
void jvmti_thread_name(JNIEnv *env, jthread object, char name[ABI_TRACE_NAME_SIZE]);

#endif
