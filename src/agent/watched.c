
#include "agent/jvm.h"
#include "agent/sampling.h"
#include "base/buf.h"
#include "base/text.h"
#include "sampler/jvmti/methods.h"
#include "sampler/jvmti/runtime.h"

#include <stdatomic.h>
#include <time.h>

#define DEPTH 64
#define TRIES 5
#define NAP_NS 2000000

/* The stack that was taken last. On the watcher's thread. */
static struct {
    int32_t count;
    struct samp_frame frames[DEPTH];
} taken;

static _Atomic(bool) is_on;

static bool begin_stacks(JNIEnv *env)
{
    const struct beat_options options =
        agent_sampling_options(env, (struct agent_settings){NULL, 0});
    bool is_by_signal =
        options.sample_engine == BEAT_ENGINE_AUTO || options.sample_engine == BEAT_ENGINE_AGCT;

    if (!atomic_load(&is_on) && is_by_signal) {
        atomic_store(&is_on, agent_sampling_keep_frames(env));
    }
    return atomic_load(&is_on);
}

/* A thread that is about to enter or leave a call may not know its stack for a moment. */
static bool take_stack(uint32_t thread_id)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};

    taken.count = 0;
    for (int i = 0; i < TRIES && taken.count <= 0; i++) {
        if (i > 0) {
            (void)nanosleep(&nap, NULL);
        }
        taken.count = agent_agct_look(thread_id, taken.frames, DEPTH);
    }
    return taken.count > 0;
}

static void put_class(jvmtiEnv *jvmti, jclass type, struct mb_buf *text)
{
    char *signature = NULL;

    if ((*jvmti)->GetClassSignature(jvmti, type, &signature, NULL) == JVMTI_ERROR_NONE) {
        struct mb_text name = jvmti_class_name(signature);
        for (size_t i = 0; i < name.size; i++) {
            mb_buf_put_u1(text, (uint8_t)(name.data[i] == '/' ? '.' : name.data[i]));
        }
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

static jint find_line(jvmtiEnv *jvmti, const struct samp_frame *frame)
{
    jvmtiLineNumberEntry *rows = NULL;
    jint count = 0;
    jint line = -1;
    jlocation best = -1;

    if (frame->bci < 0 ||
        (*jvmti)->GetLineNumberTable(jvmti, frame->method, &count, &rows) != JVMTI_ERROR_NONE) {
        return -1;
    }
    for (jint i = 0; i < count; i++) {
        if (rows[i].start_location <= frame->bci && rows[i].start_location > best) {
            best = rows[i].start_location;
            line = rows[i].line_number;
        }
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)rows);
    return line;
}

static void put_place(jvmtiEnv *jvmti, jclass type, jint line, struct mb_buf *text)
{
    char *file = NULL;

    if (line < 0) {
        return;
    }
    bool has_file = (*jvmti)->GetSourceFileName(jvmti, type, &file) == JVMTI_ERROR_NONE;
    mb_buf_printf(text, "(%s:%d)", has_file ? file : "Unknown Source", (int)line);
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)file);
}

/* As NativeMonitors.stackOf has it. */
static void put_frame(JNIEnv *env, const struct samp_frame *frame, struct mb_buf *text)
{
    jvmtiEnv *jvmti = jvmti_runtime_env();
    jclass type = jvmti_methods_class(env, frame->method);
    char *name = NULL;

    if (type == NULL) {
        mb_buf_put_string(text, "unknown.unknown\n");
        return;
    }
    put_class(jvmti, type, text);
    if ((*jvmti)->GetMethodName(jvmti, frame->method, &name, NULL, NULL) == JVMTI_ERROR_NONE) {
        mb_buf_printf(text, ".%s", name);
        (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    }
    put_place(jvmti, type, find_line(jvmti, frame), text);
    mb_buf_put_u1(text, '\n');
    (*env)->DeleteLocalRef(env, type);
}

static bool is_probe(const struct mb_buf *text)
{
    const struct mb_text frame = {(const char *)text->bytes, text->size};

    return mb_text_starts(frame, MB_TEXT("java.lang.$MethodBeat.")) ||
           mb_text_starts(frame, MB_TEXT("methodbeat."));
}

/* Waits where Java stands still. In a probe the thread is where the probe is. */
static char *tell_stack(JNIEnv *env)
{
    struct mb_buf text = {0};
    bool is_inside = true;

    for (int32_t i = 0; i < taken.count; i++) {
        put_frame(env, &taken.frames[i], &text);
        is_inside = is_inside && !text.failed && is_probe(&text);
        if (is_inside) {
            mb_buf_reset(&text);
        }
    }
    mb_buf_put_u1(&text, '\0');
    if (text.failed) {
        mb_buf_finish(&text);
        return NULL;
    }
    return (char *)text.bytes; /* of malloc, as jni_stacks has it */
}

const struct jni_stacks agent_watched_stacks = {begin_stacks, take_stack, tell_stack};
