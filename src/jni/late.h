/* Stacks that Java tells of late loops, as samples (sampler/late.h). */

#ifndef JNI_LATE_H
#define JNI_LATE_H

#include "sampler/threads.h"
#include "watch/methodbeat_watch.h"

#include <jni.h>
#include <stdint.h>

/* The calling thread, for samples; jni_late_destroy frees it. NULL without memory. */
struct samp_thread *jni_late_create(const char *name);

/* Its loop is late, and has the stack of that text (NativeMonitors.stackOf), which took so much CPU
 * time. thread may be NULL. On the watcher's thread. */
void jni_late_put(struct samp_thread *thread, const struct watch_stack *stack, const char *text,
                  uint64_t took_ns);

/* Would an agent take samples that the recorded session asks for, and does none? For Java. */
jboolean JNICALL jni_late_wants_agent(JNIEnv *env, jclass type);

/* It has ended. */
void jni_late_destroy(struct samp_thread *thread);

#endif
