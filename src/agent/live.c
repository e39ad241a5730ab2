#include "agent/live.h"

#include "abi/names.h"
#include "agent/jvm.h"
#include "agent/tally.h"
#include "agent/weaver.h"
#include "base/clock.h"
#include "jni/exceptions.h"
#include "recorder/methodbeat.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* HotSpot stands still for a batch, and walks all loaded classes for each: 3 ms for 10,000. So a
 * batch has a share of all classes, and more while it is short, and the time for all of them grows
 * as their number does, also on a busy machine. */
#define LEAST_BATCH 50
#define MOST_BATCHES 64
#define SHORT_NS (20 * MB_NS_PER_MS)
#define LONG_NS (50 * MB_NS_PER_MS)

/* "La/b/C;" is "a/b/C"; empty for arrays. */
static struct mb_text internal_name(const char *signature)
{
    size_t size = strlen(signature);

    return signature[0] == 'L' && size > 2 ? (struct mb_text){signature + 1, size - 2}
                                           : (struct mb_text){0};
}

static jobject loader_of(jclass type)
{
    jobject loader = NULL;

    (void)(*agent_jvm.jvmti)->GetClassLoader(agent_jvm.jvmti, type, &loader);
    return loader;
}

/* Which of the loaded classes. */
struct choice {
    bool (*wants)(struct mb_text class_name);
    bool are_new; /* nobody has counted them */
};

void agent_count_boot(JNIEnv *env, const char *name)
{
    if (name != NULL && agent_is_boot_extra(env, name) && agent_weaver_wants(mb_text_of(name))) {
        agent_tally_class(&(struct agent_outcome){.is_boots = true});
    }
}

static void count_boot(JNIEnv *env, struct mb_text name)
{
    char *copy = name.size > 0 ? strndup(name.data, name.size) : NULL;

    agent_count_boot(env, copy);
    free(copy);
}

static bool has_wanted_loader(JNIEnv *env, jclass type, struct mb_text name, bool is_new)
{
    jobject loader = loader_of(type);
    bool is_wanted = !agent_is_jdk_loader(env, loader);

    if (loader == NULL && is_new) {
        count_boot(env, name);
    }
    (*env)->DeleteLocalRef(env, loader);
    return is_wanted;
}

/* A class of the program that the JVM can change, which hidden classes and arrays are not, and
 * whose name is wanted. */
static bool is_wanted(JNIEnv *env, jclass type, const struct choice *choice)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;
    jboolean is_modifiable = JNI_FALSE;
    char *signature = NULL;

    if ((*jvmti)->GetClassSignature(jvmti, type, &signature, NULL) != JVMTI_ERROR_NONE) {
        return false;
    }
    struct mb_text name = internal_name(signature);
    bool is_wanted = has_wanted_loader(env, type, name, choice->are_new) &&
                     (*jvmti)->IsModifiableClass(jvmti, type, &is_modifiable) == JVMTI_ERROR_NONE &&
                     is_modifiable != JNI_FALSE && name.size > 0 && choice->wants(name);
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return is_wanted;
}

static bool retransform(jclass *types, jint count)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;

    agent_tally_begin_batch();
    bool is_taken = (*jvmti)->RetransformClasses(jvmti, count, types) == JVMTI_ERROR_NONE;
    agent_tally_end_batch(is_taken);
    return is_taken;
}

/* The program gets as much time as it stood still; a machine that is busy lets both wait. */
static void rest_for(int64_t took_ns)
{
    const struct timespec pause = {.tv_nsec = took_ns < LONG_NS ? took_ns : LONG_NS};

    (void)nanosleep(&pause, NULL);
}

static jint next_size(jint size, jint least, int64_t took_ns)
{
    bool shrinks = took_ns > LONG_NS && size / 2 >= least;

    return took_ns < SHORT_NS ? 2 * size : shrinks ? size / 2 : size;
}

/* What does not go together is tried in halves, so that a class that another agent left unfit keeps
 * no other from its probes. */
static struct agent_pass pass_all(jclass *types, jint count, bool is_running)
{
    struct agent_pass pass = {0};
    jint share = count > MOST_BATCHES * LEAST_BATCH ? count / MOST_BATCHES : LEAST_BATCH;
    jint least = is_running ? share : count;
    jint size = least;
    jint next = 0;

    while (next < count) {
        int64_t since_ns = mb_clock_now_ns();
        size = size < count - next ? size : count - next;
        bool is_taken = retransform(types + next, size);
        int64_t took_ns = mb_clock_now_ns() - since_ns;
        if (!is_taken && size > 1) {
            size /= 2;
            continue;
        }
        pass.passed += is_taken ? (size_t)size : 0;
        pass.refused += !is_taken;
        next += size;
        size = next_size(size, least, took_ns);
        rest_for(is_running ? took_ns : 0);
    }
    return pass;
}

/* Let the loaders of these classes find the bridge. The JVM remembers that they did; else the first
 * probe would have a loader look for it, by its own code, in which that probe may be. */
static void show_bridge(JNIEnv *env, const jclass *types, jint count)
{
    jclass type = (*env)->FindClass(env, "java/lang/Class");
    jmethodID find = (*env)->GetStaticMethodID(
        env, type, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
    jstring name = (*env)->NewStringUTF(env, AGENT_BRIDGE_NAME);
    jobject last = NULL;

    for (jint i = 0; find != NULL && name != NULL && i < count; i++) {
        jobject loader = loader_of(types[i]);
        if ((*env)->IsSameObject(env, loader, last) == JNI_FALSE) {
            jobject found =
                (*env)->CallStaticObjectMethod(env, type, find, name, JNI_FALSE, loader);
            (void)jni_forget_exception(env); /* a probe will have it too, and says so */
            (*env)->DeleteLocalRef(env, found);
        }
        (*env)->DeleteLocalRef(env, last);
        last = loader;
    }
    (*env)->DeleteLocalRef(env, last);
}

/* Those that are wanted, to the front, as global references: thousands of local ones would be more
 * than a thread may have while the JVM calls hooks. */
static jint select_wanted(JNIEnv *env, jclass *types, jint count, const struct choice *choice)
{
    jint wanted = 0;

    for (jint i = 0; i < count; i++) {
        jclass type = is_wanted(env, types[i], choice) ? (*env)->NewGlobalRef(env, types[i]) : NULL;
        (*env)->DeleteLocalRef(env, types[i]);
        if (type != NULL) {
            types[wanted++] = type;
        }
    }
    return wanted;
}

/* The loaded classes that are wanted, as global references. */
struct selection {
    jclass *types;
    jint count;
};

static struct selection select_loaded(JNIEnv *env, const struct choice *choice)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;
    struct selection selection = {0};

    if ((*jvmti)->GetLoadedClasses(jvmti, &selection.count, &selection.types) != JVMTI_ERROR_NONE) {
        return (struct selection){0};
    }
    (void)(*env)->EnsureLocalCapacity(env, selection.count);
    selection.count = select_wanted(env, selection.types, selection.count, choice);
    return selection;
}

static void free_selection(JNIEnv *env, struct selection selection)
{
    for (jint i = 0; i < selection.count; i++) {
        (*env)->DeleteGlobalRef(env, selection.types[i]);
    }
    (void)(*agent_jvm.jvmti)->Deallocate(agent_jvm.jvmti, (unsigned char *)selection.types);
}

struct agent_pass agent_retransform_wanted(JNIEnv *env, bool is_running)
{
    const struct choice choice = {.wants = agent_weaver_wants, .are_new = true};
    const struct selection wanted = select_loaded(env, &choice);

    show_bridge(env, wanted.types, wanted.count);
    struct agent_pass pass = pass_all(wanted.types, wanted.count, is_running);
    free_selection(env, wanted);
    return pass;
}

struct agent_pass agent_retransform_woven(JNIEnv *env)
{
    const struct choice choice = {.wants = agent_weaver_has_woven};
    const struct selection woven = select_loaded(env, &choice);
    struct agent_pass pass = pass_all(woven.types, woven.count, true);

    free_selection(env, woven);
    return pass;
}

/* ---- The recording ---- */

static jobjectArray array_of(JNIEnv *env, struct agent_settings settings)
{
    jclass type = (*env)->FindClass(env, "java/lang/String");
    jobjectArray array =
        type != NULL ? (*env)->NewObjectArray(env, (jsize)settings.count, type, NULL) : NULL;

    for (size_t i = 0; array != NULL && i < settings.count; i++) {
        jstring setting = (*env)->NewStringUTF(env, settings.texts[i]);
        if (setting == NULL) {
            return NULL;
        }
        (*env)->SetObjectArrayElement(env, array, (jsize)i, setting);
    }
    return array;
}

enum abi_attach_result agent_start_recording(JNIEnv *env, struct agent_settings settings)
{
    jobjectArray array = array_of(env, settings);
    jclass beat = (*env)->FindClass(env, ABI_BEAT_CLASS);
    jmethodID start = beat != NULL
                          ? (*env)->GetStaticMethodID(env, beat, "start", "([Ljava/lang/String;)Z")
                          : NULL;
    bool is_as_asked = array != NULL && start != NULL &&
                       (*env)->CallStaticBooleanMethod(env, beat, start, array) != JNI_FALSE;

    if (!jni_forget_exception(env) && is_as_asked) {
        return ABI_ATTACH_DONE;
    }
    return beat_is_recording() ? ABI_ATTACH_NO_TRACE : ABI_ATTACH_FAILED; /* in memory, or not */
}

void agent_stop_recording(JNIEnv *env)
{
    jclass beat = (*env)->FindClass(env, ABI_BEAT_CLASS);
    jmethodID stop = beat != NULL ? (*env)->GetStaticMethodID(env, beat, "stop", "()V") : NULL;

    if (stop != NULL) {
        (*env)->CallStaticVoidMethod(env, beat, stop);
    }
    (void)jni_forget_exception(env);
}
