#include "jni/monitors.h"

#include "base/check.h"
#include "jni/exceptions.h"
#include "jni/text.h"
#include "monitor/watch/methodbeat_watch.h"
#include "recorder/method_names.h"

#include <stdlib.h>

/* Where NativeMonitors.frame has what. */
enum place {
    INTENDED,
    VSYNC,
    TOTAL,
    DEADLINE,
    INTERVAL,
    FLAGS, /* 1: the first of its window */
    LOST,
    STAGES,
    FRAME_SIZE = STAGES + WATCH_STAGE_COUNT
};

/* Where NativeMonitors.overlay has what. */
enum { FPS, REFRESH, LEVEL, SHARES, SCORE = SHARES + 4, BAR_COUNT, BARS, OVERLAY_SIZE = 64 };

_Static_assert(BARS + WATCH_BAR_COUNT <= OVERLAY_SIZE, "all bars fit");

static uint32_t count_of(jlong number)
{
    return number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
}

static jboolean JNICALL tell_frame(JNIEnv *env, jclass type, jlongArray array)
{
    struct watch_frame frame = {0};
    jlong values[FRAME_SIZE];

    (void)type;
    if (array == NULL || (*env)->GetArrayLength(env, array) < FRAME_SIZE) {
        return JNI_FALSE;
    }
    (*env)->GetLongArrayRegion(env, array, 0, FRAME_SIZE, values);
    frame.intended_ns = values[INTENDED];
    frame.vsync_ns = values[VSYNC];
    frame.total_ns = values[TOTAL];
    frame.deadline_ns = values[DEADLINE];
    frame.interval_ns = values[INTERVAL];
    frame.is_first = (values[FLAGS] & 1) != 0;
    frame.lost = count_of(values[LOST]);
    for (int i = 0; i < WATCH_STAGE_COUNT; i++) {
        frame.stages_ns[i] = values[STAGES + i];
    }
    beat_names_frame_interval((uint64_t)(frame.interval_ns > 0 ? frame.interval_ns : 0));
    return watch_frame(&frame) ? JNI_TRUE : JNI_FALSE;
}

/* 256 beside what: has_state. */
static void JNICALL tell_window(JNIEnv *env, jclass type, jint what, jint id, jstring name,
                                jlong at_ns)
{
    char *text = jni_text_create(env, name);

    (void)type;
    watch_window((enum watch_window)(what & 255), (uint32_t)id, text != NULL ? text : "", at_ns,
                 (what & 256) != 0);
    free(text);
}

static void JNICALL tell_app(JNIEnv *env, jclass type, jint what, jlong at_ns, jint value)
{
    (void)env;
    (void)type;
    watch_app((enum watch_app)what, at_ns, (uint32_t)value);
}

/* 0: at rest, 1 best ... 5 frozen. */
static jint colour_of(uint32_t level)
{
    return level == WATCH_AT_REST ? 0 : (jint)level + 1;
}

static jboolean JNICALL show_overlay(JNIEnv *env, jclass type, jlong now_ns, jintArray array)
{
    struct watch_overlay overlay;
    jint values[OVERLAY_SIZE] = {0};

    (void)type;
    if (array == NULL || (*env)->GetArrayLength(env, array) < OVERLAY_SIZE ||
        !watch_read_overlay(now_ns, &overlay)) {
        return JNI_FALSE;
    }
    values[FPS] = (jint)overlay.fps;
    values[REFRESH] = (jint)overlay.refresh;
    values[LEVEL] = colour_of(overlay.level);
    for (int i = 1; i < (int)WATCH_LEVEL_COUNT; i++) {
        values[SHARES + i - 1] = (jint)overlay.shares[i];
    }
    values[SCORE] = (jint)overlay.score;
    values[BAR_COUNT] = (jint)overlay.bar_count;
    for (uint32_t i = 0; i < overlay.bar_count; i++) {
        values[BARS + i] = (jint)overlay.bars[i].fps << 8 | colour_of(overlay.bars[i].level);
    }
    (*env)->SetIntArrayRegion(env, array, 0, OVERLAY_SIZE, values);
    return JNI_TRUE;
}

static void JNICALL note_scene(JNIEnv *env, jclass type, jstring name, jboolean is_foreground)
{
    char *text = jni_text_create(env, name);

    (void)type;
    watch_scene(text != NULL ? text : "", is_foreground != JNI_FALSE);
    free(text);
}

static jboolean JNICALL publish_issue(JNIEnv *env, jclass type, jstring detail, jstring key,
                                      jstring json)
{
    char *texts[] = {jni_text_create(env, detail), jni_text_create(env, key),
                     jni_text_create(env, json)};
    /* One that is there and cannot be had is not left out. */
    bool is_whole = (key == NULL || texts[1] != NULL) && (json == NULL || texts[2] != NULL);
    bool is_told = is_whole && watch_report(texts[0], texts[1], texts[2]);

    (void)type;
    for (size_t i = 0; i < MB_COUNT(texts); i++) {
        free(texts[i]);
    }
    return is_told ? JNI_TRUE : JNI_FALSE;
}

bool jni_screens_bind(JNIEnv *env, jclass type)
{
    const JNINativeMethod methods[] = {
        JNI_METHOD("frame", "([J)Z", tell_frame),
        JNI_METHOD("window", "(IILjava/lang/String;J)V", tell_window),
        JNI_METHOD("app", "(IJI)V", tell_app),
        JNI_METHOD("overlay", "(J[I)Z", show_overlay),
        JNI_METHOD("scene", "(Ljava/lang/String;Z)V", note_scene),
        JNI_METHOD("issue", "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)Z",
                   publish_issue),
    };

    return (*env)->RegisterNatives(env, type, methods, MB_COUNT(methods)) == JNI_OK;
}
