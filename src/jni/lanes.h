/* The lanes of Java's virtual threads: native methods of methodbeat.NativeProbes. */

#ifndef JNI_LANES_H
#define JNI_LANES_H

#include <jni.h>

JNIEXPORT jlong JNICALL jni_lanes_create(JNIEnv *env, jclass type, jstring name);
JNIEXPORT void JNICALL jni_lanes_end(JNIEnv *env, jclass type, jlong lane);
JNIEXPORT jboolean JNICALL jni_lanes_enter(JNIEnv *env, jclass type, jlong lane, jint id);
JNIEXPORT jboolean JNICALL jni_lanes_leave(JNIEnv *env, jclass type, jlong lane, jint id);
JNIEXPORT jboolean JNICALL jni_lanes_caught(JNIEnv *env, jclass type, jlong lane, jint id);

#endif
