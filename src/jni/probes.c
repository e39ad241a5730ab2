#include "jni/probes.h"

#include "base/check.h"
#include "jni/exceptions.h"
#include "jni/text.h"
#include "recorder/foreign.h"
#include "recorder/keeper.h"
#include "recorder/lanes.h"
#include "recorder/methodbeat.h"
#include "recorder/readings.h"
#include "recorder/session.h"
#include "recorder/throttle.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- The lanes of Java's virtual threads ---- */

static jlong JNICALL create_lane(JNIEnv *env, jclass type, jstring name)
{
    char *text = jni_text_create(env, name);
    uint64_t lane = beat_lane_create(text != NULL ? text : "");

    (void)type;
    free(text);
    return (jlong)lane;
}

static void JNICALL end_lane(JNIEnv *env, jclass type, jlong lane)
{
    (void)env;
    (void)type;
    beat_lane_end((uint64_t)lane);
}

static jboolean JNICALL enter_lane(JNIEnv *env, jclass type, jlong lane, jint id)
{
    (void)env;
    (void)type;
    return beat_lane_i((uint64_t)lane, (uint32_t)id) ? JNI_TRUE : JNI_FALSE;
}

static jboolean JNICALL leave_lane(JNIEnv *env, jclass type, jlong lane, jint id)
{
    (void)env;
    (void)type;
    return beat_lane_o((uint64_t)lane, (uint32_t)id) ? JNI_TRUE : JNI_FALSE;
}

static jboolean JNICALL catch_in_lane(JNIEnv *env, jclass type, jlong lane, jint id)
{
    (void)env;
    (void)type;
    return beat_lane_c((uint64_t)lane, (uint32_t)id) ? JNI_TRUE : JNI_FALSE;
}

/* ---- Java's table of muted methods: its probes look there before they call anything ---- */

/* The VM is stored first. Pairs: release in take_mute_table, acquire in set_mutes. */
static JavaVM *machine;
static _Atomic(jbyteArray) mute_table; /* a global reference */

static void set_states(JNIEnv *env, jbyteArray table, const uint32_t *ids, size_t count,
                       enum beat_state state)
{
    const jbyte value = (jbyte)state;
    const uint32_t size = (uint32_t)(*env)->GetArrayLength(env, table);

    for (size_t i = 0; i < count; i++) {
        if (ids[i] < size) {
            (*env)->SetByteArrayRegion(env, table, (jsize)ids[i], 1, &value);
        }
    }
}

/* The state of these methods; compiled code does not see that they are recorded again, since
 * HotSpot takes nonzero entries for constants. On any thread, which is attached to the VM
 * meanwhile; calls JNI: without the recorder's lock. Does nothing without a table or a VM. A
 * native thread is attached only for this call, so the program sees no thread that stays. */
static void set_mutes(const uint32_t *ids, size_t count, enum beat_state state)
{
    jbyteArray table = atomic_load_explicit(&mute_table, memory_order_acquire);
    JavaVMAttachArgs arguments = {.version = JNI_VERSION_1_6, .name = (char[]){"methodbeat"}};
    void *env = NULL;
    void *place = &env; /* as in monitors.c */

    if (table == NULL || count == 0) {
        return;
    }
    bool is_java = (*machine)->GetEnv(machine, &env, JNI_VERSION_1_6) == JNI_OK;
    if (!is_java && (*machine)->AttachCurrentThreadAsDaemon(machine, place, &arguments) != JNI_OK) {
        return;
    }
    set_states(env, table, ids, count, state);
    if (!is_java) {
        (void)(*machine)->DetachCurrentThread(machine);
    }
}

/* NativeProbes.takeMuteTable: the table for the rest of the process. */
static void JNICALL take_mute_table(JNIEnv *env, jclass type, jbyteArray table)
{
    (void)type;
    if ((*env)->GetJavaVM(env, &machine) == JNI_OK) {
        atomic_store_explicit(&mute_table, (*env)->NewGlobalRef(env, table), memory_order_release);
        beat_on_mute(set_mutes);
    }
}

/* ---- Probes ---- */

/* The calling thread has told its name, or has none. */
static MB_THREAD_LOCAL bool is_named;

/* True, and nothing recorded, while the thread is to tell its name, which the system cuts to 15
 * bytes. A ring has its thread's name from the first record on, so that two threads are not
 * taken for one. */
static jboolean JNICALL enter_call(JNIEnv *env, jclass type, jint id)
{
    (void)env;
    (void)type;
    if (!is_named) {
        return JNI_TRUE;
    }
    beat_i((uint32_t)id);
    return JNI_FALSE;
}

static jboolean JNICALL leave_call(JNIEnv *env, jclass type, jint id)
{
    (void)env;
    (void)type;
    if (!is_named) {
        return JNI_TRUE;
    }
    beat_o((uint32_t)id);
    return JNI_FALSE;
}

/* Java keeps the state of a method that is timed no more. */
static void JNICALL time_request(JNIEnv *env, jclass type, jint id)
{
    (void)env;
    (void)type;
    if (atomic_load_explicit(&beat_muted[(uint32_t)id & ABI_ID_MASK], memory_order_relaxed) ==
        BEAT_TIMED) {
        beat_readings_take();
    }
}

/* A name that C gave stays. */
static void JNICALL name_thread(JNIEnv *env, jclass type, jstring name)
{
    char *text = jni_text_create(env, name);

    (void)type;
    if (text != NULL && beat_thread.name[0] == '\0') {
        beat_name_thread(text);
    }
    is_named = true;
    free(text);
}

static void JNICALL pass_virtual(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    beat_foreign_pass();
}

static void JNICALL catch_in_call(JNIEnv *env, jclass type, jint id)
{
    (void)env;
    (void)type;
    beat_c((uint32_t)id);
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

static void caught_critical(jint id)
{
    beat_c((uint32_t)id);
}

static jint next_critical(jint number)
{
    return number + 1;
}
#endif

/* ---- Life cycle ---- */

static jboolean JNICALL begin_session(JNIEnv *env, jclass type, jobjectArray array, jboolean mapped)
{
    struct jni_settings settings;

    (void)type;
    jni_settings_init(&settings, env, array, mapped != JNI_FALSE);
    settings.options.main_thread = beat_foreign_main_thread();
    struct beat_recorder *recorder = beat_lock();
    bool begun = beat_session_begin(recorder, &settings.options);
    beat_unlock(recorder);
    jni_settings_finish(&settings);
    return begun ? JNI_TRUE : JNI_FALSE;
}

static jboolean JNICALL start_recording(JNIEnv *env, jclass type, jobjectArray array,
                                        jboolean mapped)
{
    struct jni_settings settings;

    (void)type;
    jni_settings_init(&settings, env, array, mapped != JNI_FALSE);
    settings.options.main_thread = beat_foreign_main_thread();
    bool started = beat_start(&settings.options);
    jni_settings_finish(&settings);
    return started ? JNI_TRUE : JNI_FALSE;
}

static void JNICALL stop_recording(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    beat_stop();
}

static jboolean JNICALL dump_trace(JNIEnv *env, jclass type, jstring path)
{
    char *name = jni_text_create(env, path);
    bool dumped = name != NULL && beat_dump(name);

    (void)type;
    free(name);
    return dumped ? JNI_TRUE : JNI_FALSE;
}

/* Told apart by Library.java, so that a library of another build is not used. */
static jint JNICALL get_version(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    return JNI_PROBES_VERSION;
}

static jboolean JNICALL is_recording(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    return beat_is_recording() ? JNI_TRUE : JNI_FALSE;
}

static void JNICALL become_main(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    beat_foreign_become_main((int32_t)syscall(SYS_gettid));
}

static jboolean JNICALL records_others(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    return beat_foreign_records_others() ? JNI_TRUE : JNI_FALSE;
}

/* ---- Memory that Java shares ---- */

static jobject JNICALL share_session(JNIEnv *env, jclass type)
{
    (void)type;
    return (*env)->NewDirectByteBuffer(env, &beat_recorder.session, sizeof(beat_recorder.session));
}

/* In the order that Ring.java takes it in; indexes count 64-bit words. */
static jobject JNICALL take_ring(JNIEnv *env, jclass type, jlongArray place)
{
    const struct beat_foreign ring = beat_foreign_take();
    const jlong word = (jlong)sizeof(uint64_t);
    const jlong values[] = {
        (jlong)ring.written_offset / word,
        (jlong)ring.words_offset / word,
        (jlong)ring.capacity,
        ring.start_ns,
    };

    (void)type;
    if (ring.bytes == NULL || ring.size > INT32_MAX) {
        return NULL;
    }
    (*env)->SetLongArrayRegion(env, place, 0, MB_COUNT(values), values);
    return (*env)->NewDirectByteBuffer(env, ring.bytes, (jlong)ring.size);
}

static void JNICALL begin_half(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    beat_foreign_begin_half();
}

/* ---- What a record costs ---- */

/* Of a ring without a thread: a line of words in front of it, as Ring.java has them. */
static _Atomic(uint64_t) scratch[256];

static jobject JNICALL share_scratch(JNIEnv *env, jclass type)
{
    (void)type;
    return (*env)->NewDirectByteBuffer(env, scratch, sizeof(scratch));
}

static jboolean JNICALL note_cost(JNIEnv *env, jclass type, jint record_ns)
{
    (void)env;
    (void)type;
    return beat_foreign_note_cost((uint32_t)record_ns) ? JNI_TRUE : JNI_FALSE;
}

/* ---- Registration ---- */

static bool register_in(JNIEnv *env, const char *name, const JNINativeMethod *methods, jint count)
{
    jclass type = (*env)->FindClass(env, name);

    return type != NULL && (*env)->RegisterNatives(env, type, methods, count) == JNI_OK;
}

bool jni_probes_register(JNIEnv *env)
{
    const JNINativeMethod methods[] = {
        JNI_METHOD("version", "()I", get_version),
        JNI_METHOD("i", "(I)Z", enter_call),
        JNI_METHOD("o", "(I)Z", leave_call),
        JNI_METHOD("c", "(I)V", catch_in_call),
        JNI_METHOD("time", "(I)V", time_request),
        JNI_METHOD("name", "(Ljava/lang/String;)V", name_thread),
        JNI_METHOD("pass", "()V", pass_virtual),
        JNI_METHOD("lane", "(Ljava/lang/String;)J", create_lane),
        JNI_METHOD("endLane", "(J)V", end_lane),
        JNI_METHOD("iLane", "(JI)Z", enter_lane),
        JNI_METHOD("oLane", "(JI)Z", leave_lane),
        JNI_METHOD("cLane", "(JI)Z", catch_in_lane),
        JNI_METHOD("takeMuteTable", "([B)V", take_mute_table),
        JNI_METHOD("begin", "([Ljava/lang/String;Z)Z", begin_session),
        JNI_METHOD("start", "([Ljava/lang/String;Z)Z", start_recording),
        JNI_METHOD("stop", "()V", stop_recording),
        JNI_METHOD("dump", "(Ljava/lang/String;)Z", dump_trace),
        JNI_METHOD("isRecording", "()Z", is_recording),
        JNI_METHOD("becomeMain", "()V", become_main),
        JNI_METHOD("recordsOthers", "()Z", records_others),
        JNI_METHOD("session", "()Ljava/nio/ByteBuffer;", share_session),
        JNI_METHOD("ring", "([J)Ljava/nio/ByteBuffer;", take_ring),
        JNI_METHOD("beginHalf", "()V", begin_half),
        JNI_METHOD("scratch", "()Ljava/nio/ByteBuffer;", share_scratch),
        JNI_METHOD("cost", "(I)Z", note_cost),
    };

#if defined(__ANDROID__)
    const JNINativeMethod critical[] = {
        JNI_METHOD("i", "(I)V", enter_critical),
        JNI_METHOD("o", "(I)V", leave_critical),
        JNI_METHOD("c", "(I)V", caught_critical),
        JNI_METHOD("next", "(I)I", next_critical),
    };
    if (!register_in(env, "methodbeat/CriticalProbes", critical, MB_COUNT(critical))) {
        return false;
    }
#endif
    return register_in(env, "methodbeat/NativeProbes", methods, MB_COUNT(methods));
}
