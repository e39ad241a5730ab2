#include "jni/probes.h"

#include "base/check.h"
#include "recorder/keeper.h"
#include "recorder/methodbeat.h"
#include "recorder/rings.h"
#include "recorder/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__ANDROID__)
#include <android/log.h>
#endif

#define MAX_SETTINGS 64
#define NO_THREAD (-1)

/* The Java thread that is main, once it has shown itself. Under the recorder's lock. */
static int32_t main_thread = NO_THREAD;

/* ---- Probes ---- */

static void JNICALL enter(JNIEnv *env, jclass type, jint id)
{
    (void)env;
    (void)type;
    beat_i((uint32_t)id);
}

static void JNICALL leave(JNIEnv *env, jclass type, jint id)
{
    (void)env;
    (void)type;
    beat_o((uint32_t)id);
}

#if defined(__ANDROID__)
/* What @CriticalNative methods get: their arguments and nothing else. */
static void enter_critical(jint id)
{
    beat_i((uint32_t)id);
}

static void leave_critical(jint id)
{
    beat_o((uint32_t)id);
}
#endif

static void JNICALL message(JNIEnv *env, jclass type, jboolean begins)
{
    (void)env;
    (void)type;
    struct beat_recorder *recorder = beat_session_lock();
    struct abi_trace_header *header = beat_is_recording() ? recorder->header : NULL;
    beat_session_unlock(recorder);
    if (header != NULL) {
        beat_keeper_message(header, begins != JNI_FALSE);
    }
}

static void JNICALL at(JNIEnv *env, jclass type, jstring scene, jboolean has_focus)
{
    const char *name = (*env)->GetStringUTFChars(env, scene, NULL);

    (void)type;
    if (name != NULL) {
        beat_at(name, has_focus != JNI_FALSE);
        (*env)->ReleaseStringUTFChars(env, scene, name);
    }
}

/* ---- Settings ---- */

#if defined(__ANDROID__)
static void log_to_system(const char *line)
{
    (void)__android_log_write(ANDROID_LOG_INFO, "methodbeat", line);
}
#endif

/* The texts "name=value" of a Java array, kept while the options that borrow them are in use. */
struct settings {
    struct beat_options options;
    char *texts[MAX_SETTINGS];
    size_t count;
};

static char *copy_text(JNIEnv *env, jobjectArray array, jsize index)
{
    jstring string = (*env)->GetObjectArrayElement(env, array, index);
    const char *chars = string != NULL ? (*env)->GetStringUTFChars(env, string, NULL) : NULL;
    char *copy = NULL;

    if (chars != NULL) {
        copy = strdup(chars);
        (*env)->ReleaseStringUTFChars(env, string, chars);
    }
    (*env)->DeleteLocalRef(env, string);
    return copy;
}

static void apply(struct settings *settings, char *text)
{
    char *value = strchr(text, '=');

    if (value != NULL) {
        *value++ = '\0';
    }
    if (value == NULL || !beat_options_set(&settings->options, text, value)) {
        beat_log(&settings->options, "setting %s=%s is not understood", text,
                 value != NULL ? value : "");
    }
}

static void init_settings(struct settings *settings, JNIEnv *env, jobjectArray array, bool mapped)
{
    jsize size = (*env)->GetArrayLength(env, array);

    settings->count = 0;
    beat_options_init(&settings->options);
#if defined(__ANDROID__)
    settings->options.log = log_to_system;
#endif
    for (jsize i = 0; i < size && settings->count < MAX_SETTINGS; i++) {
        char *text = copy_text(env, array, i);
        if (text != NULL) {
            settings->texts[settings->count++] = text;
            apply(settings, text);
        }
    }
    if (mapped) {
        settings->options.clock = BEAT_CLOCK_COARSE; /* the one that Java can read */
    }
    settings->options.main_thread = main_thread;
}

static void finish_settings(struct settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        free(settings->texts[i]);
    }
}

/* ---- Life cycle ---- */

/* The main ring of a new session, for Java to write to. Under the lock. */
static bool claim_for_java(struct beat_recorder *recorder)
{
    recorder->foreign_writer = true;
    return main_thread == NO_THREAD || beat_rings_claim_main(recorder, (uint32_t)main_thread);
}

static jboolean JNICALL begin(JNIEnv *env, jclass type, jobjectArray array, jboolean mapped)
{
    struct settings settings;
    struct beat_recorder *recorder = beat_session_lock();

    (void)type;
    init_settings(&settings, env, array, mapped != JNI_FALSE);
    bool begun = beat_session_begin(recorder, &settings.options);
    beat_session_unlock(recorder);
    finish_settings(&settings);
    return begun ? JNI_TRUE : JNI_FALSE;
}

static jboolean JNICALL start(JNIEnv *env, jclass type, jobjectArray array, jboolean mapped)
{
    struct settings settings;
    struct beat_recorder *recorder = beat_session_lock();

    (void)type;
    init_settings(&settings, env, array, mapped != JNI_FALSE);
    beat_session_unlock(recorder);
    bool started = beat_start(&settings.options);
    finish_settings(&settings);
    recorder = beat_session_lock();
    if (started && mapped != JNI_FALSE) {
        started = claim_for_java(recorder);
    }
    beat_session_unlock(recorder);
    return started ? JNI_TRUE : JNI_FALSE;
}

static void JNICALL stop(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    beat_stop();
}

static jboolean JNICALL dump(JNIEnv *env, jclass type, jstring path)
{
    const char *name = (*env)->GetStringUTFChars(env, path, NULL);
    bool dumped = name != NULL && beat_dump(name);

    (void)type;
    if (name != NULL) {
        (*env)->ReleaseStringUTFChars(env, path, name);
    }
    return dumped ? JNI_TRUE : JNI_FALSE;
}

static jboolean JNICALL is_recording(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    return beat_is_recording() ? JNI_TRUE : JNI_FALSE;
}

static jboolean JNICALL become_main(JNIEnv *env, jclass type, jstring name, jboolean mapped)
{
    struct beat_recorder *recorder = beat_session_lock();
    jsize size = (*env)->GetStringUTFLength(env, name);

    (void)type;
    if ((size_t)size < sizeof(recorder->main_name)) { /* for the system it is "java" */
        (*env)->GetStringUTFRegion(env, name, 0, (*env)->GetStringLength(env, name),
                                   recorder->main_name);
        recorder->main_name[size] = '\0';
    }
    main_thread = (int32_t)syscall(SYS_gettid);
    recorder->options.main_thread = main_thread;
    bool taken = mapped == JNI_FALSE || claim_for_java(recorder);
    beat_session_unlock(recorder);
    return taken ? JNI_TRUE : JNI_FALSE;
}

/* ---- Memory that Java writes to ---- */

static jint JNICALL session(JNIEnv *env, jclass type)
{
    struct beat_recorder *recorder = beat_session_lock();
    uint32_t number = recorder->recorded_session;

    (void)env;
    (void)type;
    beat_session_unlock(recorder);
    return (jint)number;
}

static jobject JNICALL memory(JNIEnv *env, jclass type)
{
    struct beat_recorder *recorder = beat_session_lock();
    void *bytes = NULL;
    uint64_t size = 0;

    (void)type;
    if (recorder->recorded_session != BEAT_NO_SESSION) {
        bytes = recorder->memory.bytes;
        size = recorder->rings[0].words_offset + abi_trace_words_size(recorder->rings[0].capacity);
    }
    beat_session_unlock(recorder);
    return bytes != NULL ? (*env)->NewDirectByteBuffer(env, bytes, (jlong)size) : NULL;
}

/* In the order that Ring.java and MethodBeat.java take them in; indexes count 64-bit words. */
static jlongArray JNICALL layout(JNIEnv *env, jclass type)
{
    struct beat_recorder *recorder = beat_session_lock();
    const jlong ring = ABI_TRACE_PAGE;
    const jlong word = (jlong)sizeof(uint64_t);
    bool there = recorder->recorded_session != BEAT_NO_SESSION;
    const jlong values[] = {
        (jlong)offsetof(struct abi_trace_header, coarse_time) / word,
        (ring + (jlong)offsetof(struct abi_trace_ring, written)) / word,
        (ring + (jlong)offsetof(struct abi_trace_ring, settled)) / word,
        (ring + (jlong)offsetof(struct abi_trace_ring, highest)) / word,
        (ring + (jlong)offsetof(struct abi_trace_ring, dropped_calls)) / word,
        there ? (jlong)recorder->rings[0].words_offset / word : 0,
        there ? (jlong)recorder->rings[0].capacity : 0,
        there ? (jlong)beat_rings_min_units(recorder->header) : 0,
        recorder->options.threads == BEAT_THREADS_ALL,
    };

    (void)type;
    beat_session_unlock(recorder);
    jlongArray array = (*env)->NewLongArray(env, MB_COUNT(values));
    if (array != NULL) {
        (*env)->SetLongArrayRegion(env, array, 0, MB_COUNT(values), values);
    }
    return array;
}

/* ---- Registration ---- */

#define METHOD(name, signature, function)                                                        \
    {                                                                                            \
        (char *)(uintptr_t)(name), (char *)(uintptr_t)(signature), (void *)(uintptr_t)(function) \
    }

static bool register_in(JNIEnv *env, const char *name, const JNINativeMethod *methods, jint count)
{
    jclass type = (*env)->FindClass(env, name);

    return type != NULL && (*env)->RegisterNatives(env, type, methods, count) == JNI_OK;
}

bool jni_probes_register(JNIEnv *env)
{
    const JNINativeMethod methods[] = {
        METHOD("i", "(I)V", enter),
        METHOD("o", "(I)V", leave),
        METHOD("message", "(Z)V", message),
        METHOD("at", "(Ljava/lang/String;Z)V", at),
        METHOD("begin", "([Ljava/lang/String;Z)Z", begin),
        METHOD("start", "([Ljava/lang/String;Z)Z", start),
        METHOD("stop", "()V", stop),
        METHOD("dump", "(Ljava/lang/String;)Z", dump),
        METHOD("isRecording", "()Z", is_recording),
        METHOD("becomeMain", "(Ljava/lang/String;Z)Z", become_main),
        METHOD("session", "()I", session),
        METHOD("memory", "()Ljava/nio/ByteBuffer;", memory),
        METHOD("layout", "()[J", layout),
    };

#if defined(__ANDROID__)
    const JNINativeMethod critical[] = {
        METHOD("i", "(I)V", enter_critical),
        METHOD("o", "(I)V", leave_critical),
    };
    if (!register_in(env, "methodbeat/CriticalProbes", critical, MB_COUNT(critical))) {
        return false;
    }
#endif
    return register_in(env, "methodbeat/NativeProbes", methods, MB_COUNT(methods));
}
