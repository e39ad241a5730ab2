/* What the parts of the agent know of the JVM that it is in. */

#ifndef AGENT_JVM_H
#define AGENT_JVM_H

#include <jvmti.h>
#include <stdbool.h>

struct agent_jvm {
    JavaVM *vm;
    jvmtiEnv *jvmti;
    jobject platform_loader; /* of the JDK's classes that are not the boot loader's */
};
extern struct agent_jvm agent_jvm;

/* "methodbeat: TEXT: REASON" on standard error; reason may be empty. */
void agent_print(const char *text, const char *reason);

/* Classes of this loader get no probes, whatever their name: NULL, or the platform's. */
bool agent_is_jdk_loader(JNIEnv *env, jobject loader);

/* Classes that the JDK makes while the program runs: accessors and proxies, numbered as they come.
 * name as in class files. */
bool agent_is_made_by_jdk(const char *name);

#endif
