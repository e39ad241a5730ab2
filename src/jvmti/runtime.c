#include "jvmti/runtime.h"

#include "base/check.h"
#include "jvmti/locks.h"
#include "jvmti/methods.h"
#include "jvmti/stack.h"
#include "recorder/name.h"
#include "sampler/blocks.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock; /* of what begins and ends */
    JavaVM *vm;
    jvmtiEnv *jvmti;            /* with events of its own */
    jvmti_note_code *note_code; /* NULL: nobody wants to know */
    bool is_on;
    bool keeps_frames; /* also when it is off */
} runtime = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The sampler's own threads have one. */
static MB_THREAD_LOCAL JNIEnv *own_env;

jvmtiEnv *jvmti_runtime_env(void)
{
    return runtime.jvmti;
}

/* ---- Threads ---- */

void jvmti_thread_name(JNIEnv *env, jthread object, char name[ABI_TRACE_NAME_SIZE])
{
    jvmtiEnv *jvmti = runtime.jvmti;
    jvmtiThreadInfo info = {0};

    name[0] = '\0';
    if ((*jvmti)->GetThreadInfo(jvmti, object, &info) != JVMTI_ERROR_NONE) {
        return;
    }
    beat_name_copy(name, info.name != NULL ? info.name : "");
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
}

uint32_t jvmti_own_id(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

/* One of those that work for us, in Java or not, all of which have such a name. */
static bool is_ours(const struct samp_thread *thread)
{
    static const char start[] = "methodbeat";
    const char *rest = thread->name + sizeof(start) - 1;

    return strncmp(thread->name, start, sizeof(start) - 1) == 0 &&
           (*rest == '\0' || *rest == ' ' || *rest == '-');
}

void jvmti_thread_add(JNIEnv *env, jthread object, uint32_t thread_id, bool is_main)
{
    struct samp_thread thread = {.thread_id = thread_id};

    jvmti_thread_name(env, object, thread.name);
    if (is_ours(&thread)) {
        return;
    }
    thread.is_main = is_main;
    thread.handle = (*env)->NewGlobalRef(env, object);
    if (thread.handle != NULL && !samp_threads_add(&thread)) {
        (*env)->DeleteGlobalRef(env, thread.handle);
    }
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti;
    if (!samp_is_own_thread()) {
        jvmti_thread_add(env, thread, jvmti_own_id(), false);
    }
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti;
    (void)env;
    (void)thread;
    samp_threads_end(jvmti_own_id());
}

/* ---- Locks ---- */

static void begin_block(JNIEnv *env, uint32_t kind, jobject object)
{
    jobject lock = samp_is_own_thread() ? NULL : (*env)->NewGlobalRef(env, object);

    if (lock != NULL && !samp_block_begin(jvmti_own_id(), kind, lock)) {
        (*env)->DeleteGlobalRef(env, lock);
    }
}

static void end_block(JNIEnv *env)
{
    jobject lock = samp_block_end(jvmti_own_id());

    if (lock != NULL) {
        (*env)->DeleteGlobalRef(env, lock);
    }
}

static void JNICALL on_contended(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    (void)jvmti;
    (void)thread;
    begin_block(env, ABI_BLOCK_MONITOR, object);
}

static void JNICALL on_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    (void)jvmti;
    (void)thread;
    (void)object;
    end_block(env);
}

static void JNICALL on_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object, jlong ms)
{
    (void)jvmti;
    (void)thread;
    (void)ms;
    begin_block(env, ABI_BLOCK_WAITING, object);
}

static void JNICALL on_waited(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                              jboolean is_timed_out)
{
    (void)jvmti;
    (void)thread;
    (void)object;
    (void)is_timed_out;
    end_block(env);
}

static void name_lock(void *lock, char name[ABI_LOCK_NAME_SIZE])
{
    jvmti_lock_name(runtime.jvmti, own_env, lock, name);
}

static void *find_parked(const struct samp_thread *thread)
{
    return jvmti_lock_of_parked(own_env, thread->handle);
}

static bool is_thread(struct samp_thread *thread, jthread object)
{
    bool is_same = samp_threads_lock_live(thread);

    if (is_same) {
        is_same = (*own_env)->IsSameObject(own_env, thread->handle, object) != JNI_FALSE;
        samp_threads_unlock();
    }
    return is_same;
}

static struct samp_thread *find_owner(uint32_t kind, void *lock)
{
    jthread owner = jvmti_lock_owner(runtime.jvmti, own_env, kind, lock);
    struct samp_thread *found = NULL;

    for (uint32_t i = 0; owner != NULL && found == NULL && i < samp_threads_count(); i++) {
        found = is_thread(samp_threads_at(i), owner) ? samp_threads_at(i) : NULL;
    }
    (*own_env)->DeleteLocalRef(own_env, owner);
    return found;
}

/* ---- What the JVM makes for us while these are on ---- */

static void JNICALL on_class_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass type)
{
    (void)thread;
    jvmti_methods_add_class(jvmti, env, type);
}

/* AsyncGetCallTrace refuses without it. */
static void JNICALL on_class_load(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass type)
{
    (void)jvmti;
    (void)env;
    (void)thread;
    (void)type;
}

/* Compiled code then says of more places where they are: inlined methods have frames. The
 * parameters are JVMTI's. */
/* NOLINTNEXTLINE(readability-function-size) */
static void JNICALL on_compiled(jvmtiEnv *jvmti, jmethodID method, jint size, const void *code,
                                jint map_size, const jvmtiAddrLocationMap *map, const void *info)
{
    (void)jvmti;
    (void)method;
    (void)map_size;
    (void)map;
    (void)info;
    if (runtime.note_code != NULL) {
        runtime.note_code(code, (size_t)size);
    }
}

static void JNICALL on_made(jvmtiEnv *jvmti, const char *name, const void *code, jint size)
{
    (void)jvmti;
    (void)name;
    if (runtime.note_code != NULL) {
        runtime.note_code(code, (size_t)size);
    }
}

static const jvmtiEvent frame_events[] = {JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE,
                                          JVMTI_EVENT_COMPILED_METHOD_LOAD,
                                          JVMTI_EVENT_DYNAMIC_CODE_GENERATED};

static const jvmtiEvent thread_events[] = {JVMTI_EVENT_THREAD_START,
                                           JVMTI_EVENT_THREAD_END,
                                           JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                           JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
                                           JVMTI_EVENT_MONITOR_WAIT,
                                           JVMTI_EVENT_MONITOR_WAITED};

/* A JVM that lacks one of the events has the others. */
static void set_events(jvmtiEventMode mode, const jvmtiEvent *events, size_t count)
{
    jvmtiEnv *jvmti = runtime.jvmti;

    for (size_t i = 0; i < count; i++) {
        (void)(*jvmti)->SetEventNotificationMode(jvmti, mode, events[i], NULL);
    }
}

/* What was made before, too. */
static void tell_code(void)
{
    jvmtiEnv *jvmti = runtime.jvmti;

    (void)(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
    (void)(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
}

/* Those of them that this JVM has. */
static void add_capabilities(void)
{
    jvmtiEnv *jvmti = runtime.jvmti;
    jvmtiCapabilities has = {0};

    (void)(*jvmti)->GetPotentialCapabilities(jvmti, &has);
    const jvmtiCapabilities wanted = {
        .can_generate_compiled_method_load_events = has.can_generate_compiled_method_load_events,
        .can_get_line_numbers = has.can_get_line_numbers,
        .can_get_source_file_name = has.can_get_source_file_name,
        .can_generate_monitor_events = has.can_generate_monitor_events,
        .can_get_monitor_info = has.can_get_monitor_info,
    };
    (void)(*jvmti)->AddCapabilities(jvmti, &wanted);
}

bool jvmti_runtime_open(JavaVM *vm, jvmti_note_code *note_code)
{
    const jvmtiEventCallbacks callbacks = {.ThreadStart = on_thread_start,
                                           .ThreadEnd = on_thread_end,
                                           .ClassLoad = on_class_load,
                                           .ClassPrepare = on_class_prepare,
                                           .CompiledMethodLoad = on_compiled,
                                           .DynamicCodeGenerated = on_made,
                                           .MonitorContendedEnter = on_contended,
                                           .MonitorContendedEntered = on_entered,
                                           .MonitorWait = on_wait,
                                           .MonitorWaited = on_waited};
    void *place = NULL;

    if (runtime.jvmti != NULL) {
        return true;
    }
    runtime.vm = vm;
    runtime.note_code = note_code;
    if ((*vm)->GetEnv(vm, &place, JVMTI_VERSION_1_2) != JNI_OK) {
        return false;
    }
    runtime.jvmti = place;
    add_capabilities();
    return (*runtime.jvmti)->SetEventCallbacks(runtime.jvmti, &callbacks, sizeof(callbacks)) ==
           JVMTI_ERROR_NONE;
}

/* ---- What the engines share ---- */

static bool enter_jvm(void)
{
    static char name[] = "methodbeat sampler";
    JavaVMAttachArgs args = {JNI_VERSION_1_6, name, NULL};
    JNIEnv *env = NULL;
    void *place = &env; /* of either type: the JDK's header says void **, Android's JNIEnv ** */

    if ((*runtime.vm)->AttachCurrentThreadAsDaemon(runtime.vm, place, &args) != JNI_OK) {
        return false;
    }
    own_env = env;
    return true;
}

static void leave_jvm(void)
{
    (void)(*runtime.vm)->DetachCurrentThread(runtime.vm);
}

/* The first that is set. */
static uint32_t find_state(const struct samp_thread *thread)
{
    static const struct {
        jint bit;
        uint32_t state;
    } rows[] = {
        {JVMTI_THREAD_STATE_SUSPENDED, ABI_SAMPLE_SUSPENDED},
        {JVMTI_THREAD_STATE_SLEEPING, ABI_SAMPLE_SLEEPING},
        {JVMTI_THREAD_STATE_IN_OBJECT_WAIT, ABI_SAMPLE_WAITING},
        {JVMTI_THREAD_STATE_PARKED, ABI_SAMPLE_PARKED},
        {JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER, ABI_SAMPLE_MONITOR},
        {JVMTI_THREAD_STATE_IN_NATIVE, ABI_SAMPLE_NATIVE},
    };
    jint bits = 0;

    (void)(*runtime.jvmti)->GetThreadState(runtime.jvmti, thread->handle, &bits);
    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        if ((bits & rows[i].bit) != 0) {
            return rows[i].state;
        }
    }
    return ABI_SAMPLE_RUNNING;
}

static void resolve_frames(const struct samp_frame *frames, size_t count, struct samp_place *places)
{
    jvmti_methods_resolve(runtime.jvmti, own_env, frames, count, places);
}

static void release_handle(void *handle)
{
    (*own_env)->DeleteGlobalRef(own_env, handle);
}

const struct samp_engine jvmti_engine = {
    .kind = ABI_ENGINE_JVMTI,
    .is_direct = true,
    .enter = enter_jvm,
    .leave = leave_jvm,
    .ask = jvmti_stack_ask,
    .state = find_state,
    .resolve = resolve_frames,
    .line = jvmti_methods_line,
    .release = release_handle,
    .name_lock = name_lock,
    .find_parked = find_parked,
    .find_owner = find_owner,
};

/* ---- Life ---- */

/* Under the lock. */
static void begin_frames(JNIEnv *env)
{
    if (!runtime.keeps_frames) {
        set_events(JVMTI_ENABLE, frame_events, MB_COUNT(frame_events));
        if (runtime.note_code != NULL) {
            tell_code();
        }
        jvmti_methods_add_loaded(runtime.jvmti, env);
    }
}

/* Likewise. */
static void end_frames(JNIEnv *env)
{
    if (runtime.keeps_frames) {
        jvmti_methods_forget_lines();
    } else {
        set_events(JVMTI_DISABLE, frame_events, MB_COUNT(frame_events));
        jvmti_methods_forget(env);
    }
}

bool jvmti_runtime_start(JNIEnv *env, const struct samp_engine *engine)
{
    (void)pthread_mutex_lock(&runtime.lock);
    runtime.is_on = samp_start(engine);
    if (runtime.is_on) {
        begin_frames(env);
        set_events(JVMTI_ENABLE, thread_events, MB_COUNT(thread_events));
    }
    bool is_on = runtime.is_on;
    (void)pthread_mutex_unlock(&runtime.lock);
    return is_on;
}

void jvmti_runtime_stop(JNIEnv *env)
{
    (void)pthread_mutex_lock(&runtime.lock);
    if (runtime.is_on) {
        runtime.is_on = false;
        set_events(JVMTI_DISABLE, thread_events, MB_COUNT(thread_events));
        samp_stop();
        end_frames(env);
    }
    (void)pthread_mutex_unlock(&runtime.lock);
}

void jvmti_runtime_keep_frames(JNIEnv *env)
{
    (void)pthread_mutex_lock(&runtime.lock);
    if (!runtime.is_on) {
        begin_frames(env);
    }
    runtime.keeps_frames = true;
    (void)pthread_mutex_unlock(&runtime.lock);
}
