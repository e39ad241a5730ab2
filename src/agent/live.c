#include "agent/live.h"

#include "abi/names.h"
#include "agent/jvm.h"
#include "agent/tally.h"
#include "agent/task.h"
#include "agent/weaver.h"
#include "base/check.h"
#include "base/clock.h"
#include "jni/exceptions.h"
#include "recorder/methodbeat.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* HotSpot stands still for a batch, and walks all loaded classes and all compiled code for each: 3
 * to 30 ms, on a busy machine longer. So a batch has a share of all classes at least, and more as
 * long as stops stay near the shortest one: then most of a stop is what each batch costs. A batch
 * that takes long, which it does before the stop, would tell too late how far it is. */
#define LEAST_BATCH 50
#define MOST_BATCHES 64
#define SHORT_NS (20 * MB_NS_PER_MS)
#define LONG_NS (50 * MB_NS_PER_MS)
#define WHOLE_NS (500 * MB_NS_PER_MS)

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
    bool are_new; /* they were not counted yet */
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

static bool is_linked(jclass type)
{
    jint status = 0;

    return (*agent_jvm.jvmti)->GetClassStatus(agent_jvm.jvmti, type, &status) == JVMTI_ERROR_NONE &&
           (status & JVMTI_CLASS_STATUS_PREPARED) != 0 && (status & JVMTI_CLASS_STATUS_ERROR) == 0;
}

/* The JVM links what it changes. Where that fails, since a class that it needs is absent, it would
 * refuse all of a batch; so each that was not used yet is linked first, which reflection does
 * without initializing it. */
static bool link_class(JNIEnv *env, jclass type)
{
    jclass meta = (*env)->GetObjectClass(env, type);
    jmethodID list = (*env)->GetMethodID(env, meta, "getDeclaredConstructors",
                                         "()[Ljava/lang/reflect/Constructor;");
    jobject found = list != NULL ? (*env)->CallObjectMethod(env, type, list) : NULL;

    (void)jni_forget_exception(env);
    (*env)->DeleteLocalRef(env, found);
    (*env)->DeleteLocalRef(env, meta);
    return is_linked(type);
}

/* Not hidden classes and arrays, nor those of which no code can run. */
static bool can_change(JNIEnv *env, jclass type)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;
    jboolean is_modifiable = JNI_FALSE;

    return (*jvmti)->IsModifiableClass(jvmti, type, &is_modifiable) == JVMTI_ERROR_NONE &&
           is_modifiable != JNI_FALSE && (is_linked(type) || link_class(env, type));
}

/* A class of the program that the JVM can change, and whose name is wanted. */
static bool is_wanted(JNIEnv *env, jclass type, const struct choice *choice)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;
    char *signature = NULL;

    if ((*jvmti)->GetClassSignature(jvmti, type, &signature, NULL) != JVMTI_ERROR_NONE) {
        return false;
    }
    struct mb_text name = internal_name(signature);
    bool is_wanted = has_wanted_loader(env, type, name, choice->are_new) && name.size > 0 &&
                     choice->wants(name) && can_change(env, type);
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return is_wanted;
}

/* ---- Batches ---- */

/* The one that the JVM is taking. It shows its classes one after the other, verifying each, and
 * then stands still to change all; at a class that it refuses it gives up before that. */
struct batch {
    const jclass *types;
    jint count;
    jint shown;      /* of them, to the hook */
    int64_t seen_ns; /* when the hook had the last one */
};

static MB_THREAD_LOCAL struct batch *taking;

void agent_live_see(JNIEnv *env, jclass type)
{
    struct batch *batch = taking;
    jint at = batch != NULL && type != NULL ? batch->shown : 0;

    if (batch == NULL || type == NULL) {
        return;
    }
    while (at < batch->count && (*env)->IsSameObject(env, batch->types[at], type) == JNI_FALSE) {
        at++;
    }
    batch->shown = at < batch->count ? at + 1 : batch->shown;
    batch->seen_ns = mb_clock_now_ns();
}

static bool retransform(struct batch *batch)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;

    agent_tally_begin_batch();
    batch->seen_ns = mb_clock_now_ns();
    taking = batch;
    bool is_taken =
        (*jvmti)->RetransformClasses(jvmti, batch->count, batch->types) == JVMTI_ERROR_NONE;
    taking = NULL;
    agent_tally_end_batch(is_taken);
    return is_taken;
}

/* Over all classes. */
struct run {
    jclass *types;
    jint count;
    jint next;
    jint least;
    jint size;
    jint suspect; /* from here on, up to suspects_end, there is one that the JVM refuses */
    jint suspects_end;
    int64_t shortest_ns; /* of the stops so far */
    bool can_end;        /* when its task is stale */
    struct agent_pass pass;
};

/* Up to the one that is refused, which then is tried alone; what else was in its batch goes on in
 * batches of the usual size. Where the hook saw none of them, it is looked for in halves. */
static jint choose_size(const struct run *run)
{
    jint left = run->count - run->next;

    if (run->next < run->suspect) {
        return run->suspect - run->next;
    }
    if (run->next < run->suspects_end) {
        return (run->suspects_end - run->next + 1) / 2;
    }
    return run->size < left ? run->size : left;
}

static void note_refusal(struct run *run, const struct batch *batch)
{
    if (batch->count == 1) {
        run->pass.refused++;
        run->next++;
        return;
    }
    run->suspect = run->next + (batch->shown > 0 ? batch->shown - 1 : 0);
    run->suspects_end = batch->shown > 0 ? run->suspect + 1 : run->next + batch->count;
}

static void note_stop(struct run *run, jint count, int64_t before_ns, int64_t stop_ns)
{
    int64_t short_ns = 2 * run->shortest_ns > SHORT_NS ? 2 * run->shortest_ns : SHORT_NS;
    int64_t long_ns = 4 * run->shortest_ns > LONG_NS ? 4 * run->shortest_ns : LONG_NS;

    if (count == run->size && stop_ns < short_ns && before_ns < WHOLE_NS / 2) {
        run->size *= 2;
    } else if (stop_ns > long_ns && run->size / 2 >= run->least) {
        run->size /= 2;
    }
    if (run->shortest_ns == 0 || stop_ns < run->shortest_ns) {
        run->shortest_ns = stop_ns;
    }
}

/* The program gets as much time as it stood still. */
static void rest_for(int64_t ns)
{
    const struct timespec pause = {.tv_nsec = ns < LONG_NS ? ns : LONG_NS};

    if (ns > 0) {
        (void)nanosleep(&pause, NULL);
    }
}

/* Returns how long the program stood still beyond the time that it had before. */
static int64_t take_batch(struct run *run)
{
    struct batch batch = {.types = run->types + run->next, .count = choose_size(run)};
    int64_t since_ns = mb_clock_now_ns();

    if (!retransform(&batch)) {
        note_refusal(run, &batch);
        return 0;
    }
    int64_t before_ns = batch.seen_ns - since_ns;
    int64_t stop_ns = mb_clock_now_ns() - batch.seen_ns;
    run->pass.passed += (size_t)batch.count;
    run->next += batch.count;
    note_stop(run, batch.count, before_ns, stop_ns);
    return stop_ns - before_ns;
}

static struct agent_pass pass_all(struct run run, bool is_running)
{
    jint share = run.count > MOST_BATCHES * LEAST_BATCH ? run.count / MOST_BATCHES : LEAST_BATCH;

    run.least = is_running ? share : run.count;
    run.size = run.least;
    while (run.next < run.count && !(run.can_end && agent_task_is_stale())) {
        agent_task_tell((size_t)run.next, (size_t)run.count);
        int64_t owed_ns = take_batch(&run);
        rest_for(is_running ? owed_ns : 0);
    }
    return run.pass;
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
    struct agent_pass pass = pass_all(
        (struct run){.types = wanted.types, .count = wanted.count, .can_end = true}, is_running);
    free_selection(env, wanted);
    return pass;
}

struct agent_pass agent_retransform_woven(JNIEnv *env)
{
    const struct choice choice = {.wants = agent_weaver_has_woven};
    const struct selection woven = select_loaded(env, &choice);
    struct agent_pass pass =
        pass_all((struct run){.types = woven.types, .count = woven.count}, true);

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
