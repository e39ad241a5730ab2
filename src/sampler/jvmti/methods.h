/* The methods that stacks name: their ids in the trace, and the lines of their code. A jmethodID of
 * a class that was unloaded may be used for nothing, since JVMs before 18 crash; so the class of
 * each is known, and held while the JVM is asked for names. */

#ifndef SAMPLER_JVMTI_METHODS_H
#define SAMPLER_JVMTI_METHODS_H

#include "base/text.h"
#include "sampler/sampler.h"

#include <jvmti.h>
#include <stdbool.h>

/* Have the JVM make the ids of all methods of the class, without which no stack names them, and
 * remember whose they are. As the class is prepared, or later. Any thread. */
void jvmti_methods_add_class(jvmtiEnv *jvmti, JNIEnv *env, jclass type);

/* Another method, of whose class a call is open right now. */
void jvmti_methods_add(jvmtiEnv *jvmti, JNIEnv *env, jmethodID method);

/* The methods of these frames that are not known yet; their calls are open right now. */
void jvmti_methods_know(jvmtiEnv *jvmti, JNIEnv *env, const struct samp_frame *frames,
                        size_t count);

/* Of all classes that are loaded. */
void jvmti_methods_add_loaded(jvmtiEnv *jvmti, JNIEnv *env);

/* The names of frames. On a thread of the sampler. */
void jvmti_methods_resolve(jvmtiEnv *jvmti, JNIEnv *env, const struct samp_frame *frames,
                           size_t count, struct samp_place *places);

/* "La/b/C;" without its ends. The name of a hidden class, as of a lambda, ends in an address that
 * differs from run to run, after a slash or a dot: it is cut off. */
struct mb_text jvmti_class_name(const char *signature);

/* Those of the boot loader have none. */
bool jvmti_has_loader(jvmtiEnv *jvmti, JNIEnv *env, jclass type);

/* The method is synchronized, or has a monitorenter after the astore that keeps the lock for its
 * end, as compilers write it. Not asked of the JVM's own classes. */
bool jvmti_takes_lock(jvmtiEnv *jvmti, JNIEnv *env, jclass type, jmethodID key, jint access);

/* The class that a method is of, as a local reference; NULL if unknown, or gone. */
jclass jvmti_methods_class(JNIEnv *env, void *method);

/* Lines may be others from now on: classes have other code. While nothing is sampled. */
void jvmti_methods_forget_lines(void);

/* Forget lines, and the ids of all methods. Only while no thread asks for a class. */
void jvmti_methods_forget(JNIEnv *env);

#endif
