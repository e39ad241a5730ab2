/* What the parts of the agent know of the JVM that it is in. */

#ifndef AGENT_JVM_H
#define AGENT_JVM_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct agent_jvm {
    JavaVM *vm;
    jvmtiEnv *jvmti;
    jobject platform_loader; /* of the JDK's classes that are not the boot loader's */
    jobject system_loader;   /* of the class path */
    jclass accessor_loader;  /* the type of those of classes that reflection makes, or NULL */
};
extern struct agent_jvm agent_jvm;

/* "methodbeat: TEXT: REASON" on standard error; reason may be empty. */
void agent_print(const char *text, const char *reason);

/* Classes of this loader get no probes, whatever their name: NULL, the platform's, or one that
 * reflection made. */
bool agent_is_jdk_loader(JNIEnv *env, jobject loader);

/* Is a class of the boot loader, by its internal name, one of -Xbootclasspath/a, which no module
 * has? False in a JVM without modules, which cannot tell. */
bool agent_is_boot_extra(JNIEnv *env, const char *name);

/* Tells loaders apart, mostly; 0 for that of the class path, which stays. */
uint32_t agent_loader_number(JNIEnv *env, jobject loader);

/* ---- Collections of garbage, told to the recorder as pauses ---- */

/* The callbacks are set, which have these two. Without the events such pauses have no cause, and
 * all else is as it was. */
void agent_collections_watch(jvmtiEnv *jvmti);
void JNICALL agent_collection_begins(jvmtiEnv *jvmti);
void JNICALL agent_collection_ends(jvmtiEnv *jvmti);

/* ---- Calls that go on in the code that they were entered in ---- */

/* Though their methods have other code by now: no probe tells of them. */

/* Count them for the report, in all threads but virtual ones, of which the JVM tells nothing. One
 * thread at a time stands still. */
void agent_count_inside(JNIEnv *env);

/* Show their methods, which have ids of their own, the same way. */
typedef void agent_visit(JNIEnv *env, jmethodID method);
void agent_visit_inside(JNIEnv *env, agent_visit *visit);

#endif
