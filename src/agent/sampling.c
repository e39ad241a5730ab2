#include "agent/sampling.h"

#include "agent/hotspot.h"
#include "agent/jvm.h"
#include "agent/parks.h"
#include "base/check.h"
#include "base/helpers.h"
#include "jni/exceptions.h"
#include "jni/text.h"
#include "recorder/throttle.h"
#include "sampler/jvmti/methods.h"
#include "sampler/jvmti/runtime.h"
#include "sampler/jvmti/stack.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OLDEST 11 /* of HotSpot, with a handler that works */
#define NEWEST 25

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
    static const char *const texts[] = {"threads=main", "words=1024", "profile=off"};

    return (struct agent_settings){texts, MB_COUNT(texts)};
}

/* ---- Threads ---- */

static bool is_main_name(JNIEnv *env, jthread object)
{
    char name[ABI_TRACE_NAME_SIZE];

    jvmti_thread_name(env, object, name);
    return strcmp(name, "main") == 0;
}

/* No other thread of the process hears of us: a signal may kill it, or end its system call. */
static void add_thread(JNIEnv *env, jthread thread)
{
    uint32_t id = agent_hotspot_thread_id(env, thread);
    jint state = 0;

    if (id == 0 &&
        (*jvmti_runtime_env())->GetThreadState(jvmti_runtime_env(), thread, &state) == 0) {
        samp_threads_leave_out((state & JVMTI_THREAD_STATE_ALIVE) != 0);
    }
    if (id != 0) {
        jvmti_thread_add(env, thread, id, is_main_name(env, thread));
    }
    if (id != 0 && agent_hotspot_thread_id(env, thread) != id) {
        samp_threads_end(id); /* meanwhile, perhaps before it was added */
    }
}

static void add_all_threads(JNIEnv *env)
{
    jvmtiEnv *jvmti = jvmti_runtime_env();
    jthread *threads = NULL;
    jint count = 0;

    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE) {
        return;
    }
    for (jint i = 0; i < count; i++) {
        add_thread(env, threads[i]);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
}

static void add_obsolete(JNIEnv *env, jmethodID method)
{
    jvmti_methods_add(jvmti_runtime_env(), env, method);
}

/* ---- Which engine ---- */

/* The JVM's version, if it is HotSpot; else 0. */
static int hotspot_version(void)
{
    jvmtiEnv *jvmti = jvmti_runtime_env();
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

/* Who parks tells so (agent/parks.h). */
static const struct samp_engine *make_engine(bool is_agct)
{
    static struct samp_engine engine;

    engine = jvmti_engine;
    engine.find_parked = NULL;
    engine.find_takers = agent_parks_find_takers;
    if (is_agct) {
        engine.kind = ABI_ENGINE_AGCT;
        engine.is_direct = false;
        engine.ask = agent_agct_ask;
        engine.is_lost = agent_agct_is_lost;
        engine.poll = jvmti_stack_poll;
    }
    return &engine;
}

/* NULL: the one that is asked for cannot be had. */
static const struct samp_engine *choose_engine(enum beat_engine wanted)
{
    if (wanted == BEAT_ENGINE_AGCT || (wanted == BEAT_ENGINE_AUTO && fits_agct())) {
        if (agent_agct_open()) {
            return make_engine(true);
        }
    }
    return wanted == BEAT_ENGINE_AGCT ? NULL : make_engine(false);
}

/* ---- Life ---- */

static bool start_engine(JNIEnv *env, const struct beat_options *options)
{
    if (!jvmti_runtime_open(agent_jvm.vm)) {
        agent_print("no samples are taken: this JVM has no JVMTI", "");
        return false;
    }
    const struct samp_engine *engine = choose_engine(options->sample_engine);
    if (engine == NULL) {
        agent_print("no samples are taken: this JVM has no AsyncGetCallTrace", "");
        return false;
    }
    if (!jvmti_runtime_start(env, engine)) {
        agent_print("no samples are taken: no thread for them", "");
        return false;
    }
    return true;
}

static struct {
    pthread_mutex_t lock;
    struct beat_options options; /* as asked for */
    bool is_awaited;             /* samples, as soon as a method is muted */
} gaps = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *fill_gaps(void *unused)
{
    static char name[] = "methodbeat";
    JavaVMAttachArgs args = {JNI_VERSION_1_6, name, NULL};
    void *env = NULL;

    if ((*agent_jvm.vm)->AttachCurrentThreadAsDaemon(agent_jvm.vm, &env, &args) != JNI_OK) {
        return unused;
    }
    (void)pthread_mutex_lock(&gaps.lock);
    if (gaps.is_awaited) {
        jvmti_runtime_pause(env); /* of waits alone */
    }
    if (gaps.is_awaited && start_engine(env, &gaps.options)) {
        agent_visit_inside(env, add_obsolete);
        add_all_threads(env);
    }
    (void)pthread_mutex_unlock(&gaps.lock);
    (void)(*agent_jvm.vm)->DetachCurrentThread(agent_jvm.vm);
    return unused;
}

/* The keeper goes on meanwhile. */
static void begin_gaps(void)
{
    pthread_t thread;

    (void)mb_helper_create(&thread, fill_gaps, NULL); /* or their callers have the time */
}

/* NULL: no more. */
static void await_gaps(const struct beat_options *options)
{
    (void)pthread_mutex_lock(&gaps.lock);
    gaps.is_awaited = options != NULL;
    gaps.options = options != NULL ? *options : gaps.options;
    atomic_store(&beat_mute_listener, options != NULL ? begin_gaps : NULL);
    (void)pthread_mutex_unlock(&gaps.lock);
}

bool agent_sampling_start(JNIEnv *env, const struct beat_options *options, jthread main)
{
    if (options->sample == BEAT_SAMPLE_GAPS) {
        await_gaps(options);
        agent_hotspot_keep_places(); /* of what is compiled before a method is muted, too */
    }
    if (options->sample == BEAT_SAMPLE_OFF || options->sample == BEAT_SAMPLE_GAPS) {
        return jvmti_runtime_open(agent_jvm.vm) &&
               jvmti_runtime_start(env, jvmti_waits_engine(add_thread, agent_parks_find_takers));
    }
    if (options->sample_engine == BEAT_ENGINE_JAVA) {
        return true; /* the monitors' stacks (jni/monitors.h) */
    }
    if (!start_engine(env, options)) {
        return false;
    }
    if (main != NULL) {
        jvmti_thread_add(env, main, jvmti_own_id(), true);
    } else {
        agent_visit_inside(env, add_obsolete);
        add_all_threads(env);
    }
    return true;
}

void agent_sampling_stop(JNIEnv *env)
{
    await_gaps(NULL);
    jvmti_runtime_stop(env);
}

bool agent_sampling_keep_frames(JNIEnv *env)
{
    bool has_them = jvmti_runtime_open(agent_jvm.vm) && fits_agct() && agent_agct_open();

    if (has_them) {
        jvmti_runtime_keep_frames(env);
    }
    return has_them;
}
