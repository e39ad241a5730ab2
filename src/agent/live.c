#include "agent/live.h"

#include "abi/names.h"
#include "agent/jvm.h"
#include "agent/tally.h"
#include "base/clock.h"
#include "jni/exceptions.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH 50 /* classes that the program stands still for at once */

/* "La/b/C;" as "a/b/C", in place; NULL for arrays. */
static char *internal_name(char *signature)
{
    size_t size = strlen(signature);

    if (signature[0] != 'L' || size < 3) {
        return NULL;
    }
    signature[size - 1] = '\0';
    return signature + 1;
}

/* A class of the program that the JVM can change. */
static bool is_wanted(JNIEnv *env, jclass type)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;
    jboolean is_modifiable = JNI_FALSE;
    jobject loader = NULL;
    char *signature = NULL;

    if ((*jvmti)->IsModifiableClass(jvmti, type, &is_modifiable) != JVMTI_ERROR_NONE ||
        is_modifiable == JNI_FALSE ||
        (*jvmti)->GetClassLoader(jvmti, type, &loader) != JVMTI_ERROR_NONE ||
        agent_is_jdk_loader(env, loader) ||
        (*jvmti)->GetClassSignature(jvmti, type, &signature, NULL) != JVMTI_ERROR_NONE) {
        return false;
    }
    char *name = internal_name(signature);
    /* A hidden class has a '.' or a '/' behind what its source calls it. */
    bool is_wanted = name != NULL && !agent_is_made_by_jdk(name) && strchr(name, '.') == NULL;
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

/* One by one where they do not go together, so that one that another agent left unfit keeps no
 * other from its probes. */
static void pass_batch(jclass *types, jint count, struct agent_pass *pass)
{
    if (retransform(types, count)) {
        pass->passed += (size_t)count;
        return;
    }
    for (jint i = 0; i < count; i++) {
        bool is_taken = retransform(&types[i], 1);
        pass->passed += is_taken;
        pass->refused += !is_taken;
    }
}

/* The program gets as much time as it stood still. */
static void rest(int64_t since_ns)
{
    int64_t took_ns = mb_clock_now_ns() - since_ns;
    const struct timespec pause = {.tv_sec = took_ns / 1000000000, .tv_nsec = took_ns % 1000000000};

    (void)nanosleep(&pause, NULL);
}

static struct agent_pass pass_all(JNIEnv *env, jclass *types, jint count)
{
    jclass batch[BATCH];
    jint in_batch = 0;
    struct agent_pass pass = {0};

    for (jint i = 0; i < count; i++) {
        if (is_wanted(env, types[i])) {
            batch[in_batch++] = types[i];
        }
        if (in_batch == BATCH || (i == count - 1 && in_batch > 0)) {
            int64_t since_ns = mb_clock_now_ns();
            pass_batch(batch, in_batch, &pass);
            in_batch = 0;
            rest(since_ns);
        }
    }
    return pass;
}

struct agent_pass agent_retransform_all(JNIEnv *env)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;
    jclass *types = NULL;
    jint count = 0;

    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &types) != JVMTI_ERROR_NONE) {
        return (struct agent_pass){0};
    }
    struct agent_pass pass = pass_all(env, types, count);
    for (jint i = 0; i < count; i++) {
        (*env)->DeleteLocalRef(env, types[i]);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)types);
    return pass;
}

/* ---- The recording ---- */

static jobjectArray array_of(JNIEnv *env, const char *const *settings, size_t count)
{
    jclass type = (*env)->FindClass(env, "java/lang/String");
    jobjectArray array =
        type != NULL ? (*env)->NewObjectArray(env, (jsize)count, type, NULL) : NULL;

    for (size_t i = 0; array != NULL && i < count; i++) {
        jstring setting = (*env)->NewStringUTF(env, settings[i]);
        if (setting == NULL) {
            return NULL;
        }
        (*env)->SetObjectArrayElement(env, array, (jsize)i, setting);
    }
    return array;
}

bool agent_start_recording(JNIEnv *env, const char *const *settings, size_t count)
{
    jobjectArray array = array_of(env, settings, count);
    jclass beat = (*env)->FindClass(env, ABI_BEAT_CLASS);
    jmethodID start = beat != NULL
                          ? (*env)->GetStaticMethodID(env, beat, "start", "([Ljava/lang/String;)Z")
                          : NULL;
    bool is_started = array != NULL && start != NULL &&
                      (*env)->CallStaticBooleanMethod(env, beat, start, array) != JNI_FALSE;

    return !jni_forget_exception(env) && is_started;
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
