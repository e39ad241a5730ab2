#include "agent/sampling.h"

#include "agent/engines.h"
#include "agent/inside.h"
#include "agent/jvm.h"
#include "base/check.h"
#include "jni/exceptions.h"
#include "jni/text.h"
#include "jvmti/locks.h"
#include "jvmti/methods.h"
#include "recorder/name.h"
#include "sampler/blocks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OLDEST 11 /* of HotSpot, with a handler that works */
#define NEWEST 25

static struct {
    pthread_mutex_t lock; /* of what begins and ends */
    jvmtiEnv *jvmti;      /* with events of its own */
    bool is_on;
    bool keeps_frames; /* also when it is off */
} sampling = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The sampler's own threads have one. */
static MB_THREAD_LOCAL JNIEnv *own_env;

/* ---- What is asked for ---- */

static char *find_property(JNIEnv *env, const char *name)
{
    jclass type = (*env)->FindClass(env, "java/lang/System");
    jmethodID get = (*env)->GetStaticMethodID(env, type, "getProperty",
                                              "(Ljava/lang/String;)Ljava/lang/String;");
    jstring key = get != NULL ? (*env)->NewStringUTF(env, name) : NULL;
    jstring value = key != NULL ? (*env)->CallStaticObjectMethod(env, type, get, key) : NULL;
    char *text = !jni_forget_exception(env) && value != NULL ? jni_text_create(env, value) : NULL;

    (*env)->DeleteLocalRef(env, value);
    (*env)->DeleteLocalRef(env, key);
    return text;
}

static const char *const names[] = {"sample", "sample_engine"};

static void take_setting(struct beat_options *options, const char *setting)
{
    for (size_t i = 0; i < MB_COUNT(names); i++) {
        size_t size = strlen(names[i]);
        if (strncmp(setting, names[i], size) == 0 && setting[size] == '=') {
            (void)beat_options_set(options, names[i], setting + size + 1);
        }
    }
}

/* What is not understood the recorder says. */
struct beat_options agent_sampling_options(JNIEnv *env, struct agent_settings settings)
{
    struct beat_options options;

    beat_options_init(&options);
    for (size_t i = 0; i < MB_COUNT(names); i++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "methodbeat.%s", names[i]);
        char *value = find_property(env, name);
        if (value != NULL) {
            (void)beat_options_set(&options, names[i], value);
        }
        free(value);
    }
    for (size_t i = 0; i < settings.count; i++) {
        take_setting(&options, settings.texts[i]);
    }
    return options;
}

struct agent_settings agent_sampling_settings(void)
{
    static const char *const texts[] = {"threads=main", "main_words=1024", "profile=off"};

    return (struct agent_settings){texts, MB_COUNT(texts)};
}

/* ---- Threads ---- */

/* Its name as Java has it, which may be longer than the system's. */
static void describe_thread(struct samp_thread *thread, JNIEnv *env, jthread object)
{
    jvmtiEnv *jvmti = sampling.jvmti;
    jvmtiThreadInfo info = {0};

    if ((*jvmti)->GetThreadInfo(jvmti, object, &info) != JVMTI_ERROR_NONE) {
        return;
    }
    beat_name_copy(thread->name, info.name != NULL ? info.name : "");
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
}

static uint32_t own_id(void)
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

static void add_thread(JNIEnv *env, jthread object, uint32_t thread_id, bool is_main)
{
    struct samp_thread thread = {.thread_id = thread_id};

    describe_thread(&thread, env, object);
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
        add_thread(env, thread, own_id(), false);
    }
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti;
    (void)env;
    (void)thread;
    samp_threads_end(own_id());
}

/* HotSpot's own thread behind one of Java's: its JNIEnv lies in it, at the same place in each. */
static jlong find_native(JNIEnv *env, jthread thread)
{
    jclass type = (*env)->FindClass(env, "java/lang/Thread");
    jfieldID field = type != NULL ? (*env)->GetFieldID(env, type, "eetop", "J") : NULL;
    jlong address = field != NULL ? (*env)->GetLongField(env, thread, field) : 0;

    (void)jni_forget_exception(env);
    (*env)->DeleteLocalRef(env, type);
    return address;
}

static bool is_main_name(JNIEnv *env, jthread object)
{
    struct samp_thread thread = {0};

    describe_thread(&thread, env, object);
    return strcmp(thread.name, "main") == 0;
}

/* Each of Java's threads by the one of the system's that has its JNIEnv. */
static void add_callers(JNIEnv *env, const struct agent_caller *callers, size_t count)
{
    jvmtiEnv *jvmti = sampling.jvmti;
    jthread own = NULL;
    jthread *threads = NULL;
    jint thread_count = 0;

    if ((*jvmti)->GetCurrentThread(jvmti, &own) != JVMTI_ERROR_NONE ||
        (*jvmti)->GetAllThreads(jvmti, &thread_count, &threads) != JVMTI_ERROR_NONE) {
        return;
    }
    jlong distance = (jlong)(intptr_t)env - find_native(env, own);
    for (jint i = 0; i < thread_count; i++) {
        jlong native = find_native(env, threads[i]);
        for (size_t k = 0; native != 0 && k < count; k++) {
            if ((jlong)(intptr_t)callers[k].env == native + distance) {
                add_thread(env, threads[i], callers[k].thread_id, is_main_name(env, threads[i]));
            }
        }
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (*env)->DeleteLocalRef(env, own);
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
}

static void add_obsolete(JNIEnv *env, jmethodID method)
{
    jvmti_methods_add(sampling.jvmti, env, method);
}

static void add_all_threads(JNIEnv *env)
{
    struct agent_caller *callers = NULL;
    size_t count = agent_call_roll(&callers);

    add_callers(env, callers, count);
    free(callers);
}

/* ---- Locks ---- */

static void JNICALL on_contended(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    jobject lock = samp_is_own_thread() ? NULL : (*env)->NewGlobalRef(env, object);

    (void)jvmti;
    (void)thread;
    if (lock != NULL && !samp_block_begin(own_id(), lock)) {
        (*env)->DeleteGlobalRef(env, lock);
    }
}

static void JNICALL on_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    jobject lock = samp_block_end(own_id());

    (void)jvmti;
    (void)thread;
    (void)object;
    if (lock != NULL) {
        (*env)->DeleteGlobalRef(env, lock);
    }
}

static void name_lock(void *lock, char name[ABI_LOCK_NAME_SIZE])
{
    jvmti_lock_name(sampling.jvmti, own_env, lock, name);
}

static void *find_lock(const struct samp_thread *thread, uint32_t kind)
{
    return kind == ABI_BLOCK_PARKED
               ? jvmti_lock_of_parked(own_env, thread->handle)
               : jvmti_lock_of_waiting(sampling.jvmti, own_env, thread->handle);
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
    jthread owner = jvmti_lock_owner(sampling.jvmti, own_env, kind, lock);
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
    agent_agct_note_code(code, (size_t)size);
}

static void JNICALL on_made(jvmtiEnv *jvmti, const char *name, const void *code, jint size)
{
    (void)jvmti;
    (void)name;
    agent_agct_note_code(code, (size_t)size);
}

static const jvmtiEvent frame_events[] = {JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE,
                                          JVMTI_EVENT_COMPILED_METHOD_LOAD,
                                          JVMTI_EVENT_DYNAMIC_CODE_GENERATED};

static const jvmtiEvent thread_events[] = {JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END,
                                           JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                           JVMTI_EVENT_MONITOR_CONTENDED_ENTERED};

/* A JVM that lacks one of the events has the others. */
static void set_events(jvmtiEventMode mode, const jvmtiEvent *events, size_t count)
{
    jvmtiEnv *jvmti = sampling.jvmti;

    for (size_t i = 0; i < count; i++) {
        (void)(*jvmti)->SetEventNotificationMode(jvmti, mode, events[i], NULL);
    }
}

/* What was made before, too. */
static void tell_code(void)
{
    jvmtiEnv *jvmti = sampling.jvmti;

    (void)(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
    (void)(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
}

/* Under the lock. */
static void begin_frames(JNIEnv *env)
{
    if (!sampling.keeps_frames) {
        set_events(JVMTI_ENABLE, frame_events, MB_COUNT(frame_events));
        tell_code();
        jvmti_methods_add_loaded(sampling.jvmti, env);
    }
}

/* Likewise. */
static void end_frames(JNIEnv *env)
{
    if (sampling.keeps_frames) {
        jvmti_methods_forget_lines();
    } else {
        set_events(JVMTI_DISABLE, frame_events, MB_COUNT(frame_events));
        jvmti_methods_forget(env);
    }
}

/* Those of them that this JVM has. */
static void add_capabilities(void)
{
    jvmtiEnv *jvmti = sampling.jvmti;
    jvmtiCapabilities has = {0};

    (void)(*jvmti)->GetPotentialCapabilities(jvmti, &has);
    const jvmtiCapabilities wanted = {
        .can_generate_compiled_method_load_events = has.can_generate_compiled_method_load_events,
        .can_get_line_numbers = has.can_get_line_numbers,
        .can_get_source_file_name = has.can_get_source_file_name,
        .can_generate_monitor_events = has.can_generate_monitor_events,
        .can_get_monitor_info = has.can_get_monitor_info,
        .can_get_current_contended_monitor = has.can_get_current_contended_monitor,
    };
    (void)(*jvmti)->AddCapabilities(jvmti, &wanted);
}

static bool open_environment(void)
{
    const jvmtiEventCallbacks callbacks = {.ThreadStart = on_thread_start,
                                           .ThreadEnd = on_thread_end,
                                           .ClassLoad = on_class_load,
                                           .ClassPrepare = on_class_prepare,
                                           .CompiledMethodLoad = on_compiled,
                                           .DynamicCodeGenerated = on_made,
                                           .MonitorContendedEnter = on_contended,
                                           .MonitorContendedEntered = on_entered};
    void *place = NULL;

    if (sampling.jvmti != NULL) {
        return true;
    }
    if ((*agent_jvm.vm)->GetEnv(agent_jvm.vm, &place, JVMTI_VERSION_1_2) != JNI_OK) {
        return false;
    }
    sampling.jvmti = place;
    add_capabilities();
    return (*sampling.jvmti)->SetEventCallbacks(sampling.jvmti, &callbacks, sizeof(callbacks)) ==
           JVMTI_ERROR_NONE;
}

/* ---- What the engines share ---- */

static bool enter_jvm(void)
{
    static char name[] = "methodbeat sampler";
    JavaVMAttachArgs args = {JNI_VERSION_1_6, name, NULL};
    void *place = NULL;

    if ((*agent_jvm.vm)->AttachCurrentThreadAsDaemon(agent_jvm.vm, &place, &args) != JNI_OK) {
        return false;
    }
    own_env = place;
    return true;
}

static void leave_jvm(void)
{
    (void)(*agent_jvm.vm)->DetachCurrentThread(agent_jvm.vm);
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

    (void)(*sampling.jvmti)->GetThreadState(sampling.jvmti, thread->handle, &bits);
    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        if ((bits & rows[i].bit) != 0) {
            return rows[i].state;
        }
    }
    return ABI_SAMPLE_RUNNING;
}

static void resolve_frames(const struct samp_frame *frames, size_t count, struct samp_place *places)
{
    jvmti_methods_resolve(sampling.jvmti, own_env, frames, count, places);
}

static void release_handle(void *handle)
{
    (*own_env)->DeleteGlobalRef(own_env, handle);
}

/* What a JVM tells, however its stacks are walked. */
#define OF_JVM                                                                              \
    .enter = enter_jvm, .leave = leave_jvm, .state = find_state, .resolve = resolve_frames, \
    .line = jvmti_methods_line, .release = release_handle, .name_lock = name_lock,          \
    .find_lock = find_lock, .find_owner = find_owner

static const struct samp_engine agct = {
    .kind = ABI_ENGINE_AGCT, .ask = agent_agct_ask, .poll = agent_stack_poll, OF_JVM};

static const struct samp_engine stack = {
    .kind = ABI_ENGINE_JVMTI, .is_direct = true, .ask = agent_stack_ask, OF_JVM};

/* ---- Which engine ---- */

/* The JVM's version, if it is HotSpot; else 0. */
static int hotspot_version(void)
{
    jvmtiEnv *jvmti = sampling.jvmti;
    char *name = NULL;
    char *version = NULL;
    int number = 0;

    if ((*jvmti)->GetSystemProperty(jvmti, "java.vm.name", &name) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetSystemProperty(jvmti, "java.vm.specification.version", &version) ==
            JVMTI_ERROR_NONE &&
        strstr(name, "J9") == NULL) {
        number = atoi(version);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)version);
    return number;
}

static bool fits_agct(void)
{
    int version = hotspot_version();

    return version >= OLDEST && version <= NEWEST;
}

/* NULL: the one that is asked for cannot be had. */
static const struct samp_engine *choose_engine(enum beat_engine wanted)
{
    if (wanted == BEAT_ENGINE_AGCT || (wanted == BEAT_ENGINE_AUTO && fits_agct())) {
        if (agent_agct_open()) {
            return &agct;
        }
    }
    return wanted == BEAT_ENGINE_AGCT ? NULL : &stack;
}

/* ---- Life ---- */

static bool start_engine(JNIEnv *env, const struct beat_options *options)
{
    if (options->sample_engine == BEAT_ENGINE_JAVA) {
        return true; /* the monitors' stacks (jni/late.h) */
    }
    if (!open_environment()) {
        agent_print("no samples are taken: this JVM has no JVMTI", "");
        return false;
    }
    const struct samp_engine *engine = choose_engine(options->sample_engine);
    if (engine == NULL) {
        agent_print("no samples are taken: this JVM has no AsyncGetCallTrace", "");
        return false;
    }
    sampling.is_on = samp_start(engine);
    if (!sampling.is_on) {
        agent_print("no samples are taken: no thread for them", "");
        return false;
    }
    begin_frames(env);
    set_events(JVMTI_ENABLE, thread_events, MB_COUNT(thread_events));
    return true;
}

bool agent_sampling_start(JNIEnv *env, const struct beat_options *options, jthread main)
{
    (void)pthread_mutex_lock(&sampling.lock);
    bool is_started = start_engine(env, options);
    (void)pthread_mutex_unlock(&sampling.lock);
    if (!is_started) {
        return false;
    }
    if (main != NULL) {
        add_thread(env, main, own_id(), true);
    } else {
        agent_visit_inside(env, add_obsolete);
        add_all_threads(env);
    }
    return true;
}

void agent_sampling_stop(JNIEnv *env)
{
    (void)pthread_mutex_lock(&sampling.lock);
    if (sampling.is_on) {
        sampling.is_on = false;
        set_events(JVMTI_DISABLE, thread_events, MB_COUNT(thread_events));
        samp_stop();
        end_frames(env);
    }
    (void)pthread_mutex_unlock(&sampling.lock);
}

bool agent_sampling_keep_frames(JNIEnv *env)
{
    (void)pthread_mutex_lock(&sampling.lock);
    bool has_them = open_environment() && fits_agct() && agent_agct_open();
    if (has_them && !sampling.is_on) {
        begin_frames(env);
    }
    sampling.keeps_frames = has_them;
    (void)pthread_mutex_unlock(&sampling.lock);
    return has_them;
}

jvmtiEnv *agent_sampling_jvmti(void)
{
    return sampling.jvmti;
}
