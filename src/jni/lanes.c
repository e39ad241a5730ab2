#include "jni/lanes.h"

#include "jni/text.h"
#include "recorder/lanes.h"

#include <stdlib.h>

JNIEXPORT jlong JNICALL jni_lanes_create(JNIEnv *env, jclass type, jstring name)
{
    char *text = jni_text_create(env, name);
    uint64_t lane = beat_lane_create(text != NULL ? text : "");

    (void)type;
    free(text);
    return (jlong)lane;
}

JNIEXPORT void JNICALL jni_lanes_end(JNIEnv *env, jclass type, jlong lane)
{
    (void)env;
    (void)type;
    beat_lane_end((uint64_t)lane);
}

JNIEXPORT jboolean JNICALL jni_lanes_enter(JNIEnv *env, jclass type, jlong lane, jint id)
{
    (void)env;
    (void)type;
    return beat_lane_i((uint64_t)lane, (uint32_t)id) ? JNI_TRUE : JNI_FALSE;
}

JNIEXPORT jboolean JNICALL jni_lanes_leave(JNIEnv *env, jclass type, jlong lane, jint id)
{
    (void)env;
    (void)type;
    return beat_lane_o((uint64_t)lane, (uint32_t)id) ? JNI_TRUE : JNI_FALSE;
}

JNIEXPORT jboolean JNICALL jni_lanes_caught(JNIEnv *env, jclass type, jlong lane, jint id)
{
    (void)env;
    (void)type;
    return beat_lane_c((uint64_t)lane, (uint32_t)id) ? JNI_TRUE : JNI_FALSE;
}
