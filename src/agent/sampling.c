#include "agent/sampling.h"

#include "agent/engines.h"
#include "agent/hotspot.h"
#include "agent/inside.h"
#include "agent/jvm.h"
#include "base/check.h"
#include "jni/exceptions.h"
#include "jni/text.h"
#include "jvmti/methods.h"
#include "jvmti/runtime.h"
#include "jvmti/stack.h"

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
    static const char *const texts[] = {"threads=main", "main_words=1024", "profile=off"};

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

static const struct samp_engine *agct_engine(void)
{
    static struct samp_engine agct;

    agct = jvmti_engine;
    agct.kind = ABI_ENGINE_AGCT;
    agct.is_direct = false;
    agct.ask = agent_agct_ask;
    agct.is_lost = agent_agct_is_lost;
    agct.poll = jvmti_stack_poll;
    return &agct;
}

/* NULL: the one that is asked for cannot be had. */
static const struct samp_engine *choose_engine(enum beat_engine wanted)
{
    if (wanted == BEAT_ENGINE_AGCT || (wanted == BEAT_ENGINE_AUTO && fits_agct())) {
        if (agent_agct_open()) {
            return agct_engine();
        }
    }
    return wanted == BEAT_ENGINE_AGCT ? NULL : &jvmti_engine;
}

/* ---- Life ---- */

static bool start_engine(JNIEnv *env, const struct beat_options *options)
{
    if (!jvmti_runtime_open(agent_jvm.vm, agent_agct_note_code)) {
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

bool agent_sampling_start(JNIEnv *env, const struct beat_options *options, jthread main)
{
    if (options->sample_engine == BEAT_ENGINE_JAVA) {
        return true; /* the monitors' stacks (jni/late.h) */
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
    jvmti_runtime_stop(env);
}

bool agent_sampling_keep_frames(JNIEnv *env)
{
    bool has_them =
        jvmti_runtime_open(agent_jvm.vm, agent_agct_note_code) && fits_agct() && agent_agct_open();

    if (has_them) {
        jvmti_runtime_keep_frames(env);
    }
    return has_them;
}
