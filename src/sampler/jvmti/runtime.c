#include "sampler/jvmti/runtime.h"

#include "base/check.h"
#include "recorder/name.h"
#include "sampler/blocks.h"
#include "sampler/jvmti/methods.h"
#include "sampler/jvmti/stack.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock; /* of what begins and ends */
    JavaVM *vm;
    jvmtiEnv *jvmti;            /* with events of its own */
    jvmti_add_owner *add_owner; /* NULL: all threads are there */
    _Atomic(bool) is_on;
    bool samples;      /* when it is on: not only waits are told */
    bool keeps_frames; /* also when it is off */
} runtime = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The sampler's own threads have one. */
static MB_THREAD_LOCAL JNIEnv *own_env;

jvmtiEnv *jvmti_runtime_env(void)
{
    return runtime.jvmti;
}

JNIEnv *jvmti_runtime_jni(void)
{
    void *env = NULL;

    return (*runtime.vm)->GetEnv(runtime.vm, &env, JNI_VERSION_1_6) == JNI_OK ? env : NULL;
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

void jvmti_block_begin(JNIEnv *env, jthread thread, uint32_t kind, jobject object)
{
    uint32_t id = jvmti_own_id();

    if (!runtime.is_on || samp_is_own_thread()) {
        return;
    }
    if (samp_threads_own(id) == NULL) {
        jvmti_thread_add(env, thread, id, false);
    }
    jobject lock = (*env)->NewGlobalRef(env, object);
    if (lock != NULL && !samp_block_begin(id, kind, lock)) {
        (*env)->DeleteGlobalRef(env, lock);
    }
}

void jvmti_block_end(JNIEnv *env, uint32_t kind)
{
    jobject lock = samp_block_end(jvmti_own_id(), kind == ABI_BLOCK_LOCK ? jvmti_stack_walk_noted
                                                                         : jvmti_stack_walk_own);

    if (lock != NULL) {
        (*env)->DeleteGlobalRef(env, lock);
    }
}

static void JNICALL on_contended(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    (void)jvmti;
    jvmti_block_begin(env, thread, ABI_BLOCK_MONITOR, object);
}

static void JNICALL on_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    (void)jvmti;
    (void)thread;
    (void)object;
    jvmti_block_end(env, ABI_BLOCK_MONITOR);
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

static struct samp_thread *find_owner(uint32_t kind, void *lock, const struct samp_thread *waiter,
                                      int64_t *stopped_ns)
{
    jthread owner = kind == ABI_BLOCK_MONITOR ? jvmti_monitor_owner(runtime.jvmti, own_env, lock,
                                                                    waiter->handle, stopped_ns)
                                              : jvmti_synchronizer_owner(own_env, lock);
    struct samp_thread *found = NULL;

    for (int tries = 0; owner != NULL && found == NULL && tries < 2; tries++) {
        if (tries > 0 && runtime.add_owner != NULL) {
            runtime.add_owner(own_env, owner);
        }
        for (uint32_t i = 0; found == NULL && i < samp_threads_count(); i++) {
            found = is_thread(samp_threads_at(i), owner) ? samp_threads_at(i) : NULL;
        }
    }
    (*own_env)->DeleteLocalRef(own_env, owner);
    return found;
}

static bool is_same_lock(void *lock, void *other)
{
    return (*own_env)->IsSameObject(own_env, lock, other) != JNI_FALSE;
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

static const jvmtiEvent frame_events[] = {JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE};

/* The first only where all threads are sampled; the last also between two engines. */
static const jvmtiEvent thread_events[] = {JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END,
                                           JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                           JVMTI_EVENT_MONITOR_CONTENDED_ENTERED};

/* A JVM that lacks one of the events has the others. */
static void set_events(jvmtiEventMode mode, const jvmtiEvent *events, size_t count)
{
    jvmtiEnv *jvmti = runtime.jvmti;

    for (size_t i = 0; i < count; i++) {
        (void)(*jvmti)->SetEventNotificationMode(jvmti, mode, events[i], NULL);
    }
}

/* Those of them that this JVM has. */
static void add_capabilities(void)
{
    jvmtiEnv *jvmti = runtime.jvmti;
    jvmtiCapabilities has = {0};

    (void)(*jvmti)->GetPotentialCapabilities(jvmti, &has);
    const jvmtiCapabilities wanted = {
        .can_get_line_numbers = has.can_get_line_numbers,
        .can_get_source_file_name = has.can_get_source_file_name,
        .can_generate_monitor_events = has.can_generate_monitor_events,
        .can_get_monitor_info = has.can_get_monitor_info,
        .can_get_bytecodes = has.can_get_bytecodes,
        .can_get_constant_pool = has.can_get_constant_pool,
    };
    (void)(*jvmti)->AddCapabilities(jvmti, &wanted);
}

bool jvmti_runtime_open(JavaVM *vm)
{
    const jvmtiEventCallbacks callbacks = {.ThreadStart = on_thread_start,
                                           .ThreadEnd = on_thread_end,
                                           .ClassLoad = on_class_load,
                                           .ClassPrepare = on_class_prepare,
                                           .MonitorContendedEnter = on_contended,
                                           .MonitorContendedEntered = on_entered};
    void *place = NULL;

    if (runtime.jvmti != NULL) {
        return true;
    }
    runtime.vm = vm;
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

static enum samp_takes judge_monitor(jvmtiEnv *jvmti, JNIEnv *env, jobject lock,
                                     const struct samp_frame *frame)
{
    const jint synchronized = 0x20;
    const jint is_static = 0x8;
    jclass type = jvmti_methods_class(env, frame->method);
    jint access = 0;

    if (type == NULL ||
        (*jvmti)->GetMethodModifiers(jvmti, frame->method, &access) != JVMTI_ERROR_NONE ||
        (access & synchronized) == 0) {
        (*env)->DeleteLocalRef(env, type);
        return SAMP_TAKES_SOME;
    }
    jboolean is_it = (access & is_static) != 0 ? (*env)->IsSameObject(env, lock, type)
                                               : (*env)->IsInstanceOf(env, lock, type);
    (*env)->DeleteLocalRef(env, type);
    return is_it != JNI_FALSE ? SAMP_TAKES_IT : SAMP_TAKES_NONE;
}

void jvmti_monitor_takers(uint32_t kind, void *lock, const struct samp_frame *frames, size_t count,
                          struct samp_place *places)
{
    bool is_monitor = kind == ABI_BLOCK_MONITOR;
    bool is_found = false;

    for (size_t i = 0; i < count && !is_found; i++) {
        bool may_take = is_monitor && places[i].takes != SAMP_TAKES_NONE;
        places[i].takes =
            may_take ? judge_monitor(runtime.jvmti, own_env, lock, &frames[i]) : SAMP_TAKES_NONE;
        is_found = places[i].takes != SAMP_TAKES_NONE;
    }
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
    .release = release_handle,
    .name_lock = name_lock,
    .find_parked = find_parked,
    .find_owner = find_owner,
    .is_same = is_same_lock,
    .walk = jvmti_stack_walk,
    .find_takers = jvmti_monitor_takers,
};

const struct samp_engine *jvmti_waits_engine(jvmti_add_owner *add_owner,
                                             jvmti_find_takers *find_takers)
{
    static struct samp_engine waits;

    runtime.add_owner = add_owner;
    waits = jvmti_engine;
    waits.kind = 0;
    waits.is_direct = false;
    waits.find_parked = NULL;
    waits.find_takers = find_takers;
    return &waits;
}

/* ---- Life ---- */

/* Under the lock. */
static void begin_frames(JNIEnv *env)
{
    if (!runtime.keeps_frames) {
        set_events(JVMTI_ENABLE, frame_events, MB_COUNT(frame_events));
        jvmti_methods_add_loaded(runtime.jvmti, env);
    }
}

/* Under the lock. */
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
        runtime.samples = engine->kind != 0;
        if (runtime.samples) {
            begin_frames(env);
        }
        size_t first = runtime.samples ? 0 : 1;
        set_events(JVMTI_ENABLE, &thread_events[first], MB_COUNT(thread_events) - first);
    }
    bool is_on = runtime.is_on;
    (void)pthread_mutex_unlock(&runtime.lock);
    return is_on;
}

static void stop_engine(JNIEnv *env, void (*stop_sampler)(void), size_t event_count)
{
    (void)pthread_mutex_lock(&runtime.lock);
    if (runtime.is_on) {
        runtime.is_on = false;
        set_events(JVMTI_DISABLE, thread_events, event_count);
        stop_sampler();
        end_frames(env);
    }
    (void)pthread_mutex_unlock(&runtime.lock);
}

void jvmti_runtime_stop(JNIEnv *env)
{
    stop_engine(env, samp_stop, MB_COUNT(thread_events));
}

/* Threads go on telling the ends of waits. */
void jvmti_runtime_pause(JNIEnv *env)
{
    stop_engine(env, samp_pause, MB_COUNT(thread_events) - 1);
}

void jvmti_runtime_keep_frames(JNIEnv *env)
{
    (void)pthread_mutex_lock(&runtime.lock);
    if (!runtime.is_on || !runtime.samples) {
        begin_frames(env);
    }
    runtime.keeps_frames = true;
    (void)pthread_mutex_unlock(&runtime.lock);
}
