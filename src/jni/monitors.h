/* The Java boundary of the monitors: monitor/watch/methodbeat_watch.h as seen by
 * methodbeat.NativeMonitors. */

#ifndef JNI_MONITORS_H
#define JNI_MONITORS_H

#include "monitor/watch/methodbeat_watch.h"
#include "sampler/threads.h"

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* Another way to the stacks of loops than Java's. */
struct jni_stacks {
    bool (*begin)(JNIEnv *env);       /* monitors start; false: there is no other way */
    bool (*take)(uint32_t thread_id); /* of a thread of the system; false: ask Java */
    char *(*tell)(JNIEnv *env); /* the one that was taken last, a function a line; to be freed */
};

/* Before monitors start. */
void jni_monitors_use(const struct jni_stacks *stacks);

/* Bind the native methods and find what is called back. False, and no exception, where the class is
 * not there: a program may be shipped without it. */
bool jni_monitors_register(JavaVM *vm, JNIEnv *env);

/* ---- How earlier processes ended, which Android's Java knows ---- */

/* Find what is called; type is NativeMonitors, kept. False, with an exception, if it is not
 * there. */
bool jni_exits_find(JNIEnv *env, jclass type);

/* What struct watch_host wants, of a thread that Java knows. */
void jni_exits_ask(JNIEnv *env, struct watch_exits *exits);
void jni_exits_told(JNIEnv *env);
void jni_exits_note(JNIEnv *env, const char *incident);

/* ---- Windows, frames and the start ---- */

/* Bind the methods of the class. False, with an exception, if it has not all of them. */
bool jni_screens_bind(JNIEnv *env, jclass type);

/* ---- Stacks that Java tells of late loops (sampler/late.h) ---- */

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
