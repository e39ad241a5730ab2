#include "sampler/jvmti/runtime.h"

#include "base/clock.h"
#include "jni/exceptions.h"

#include <pthread.h>

static void delete_refs(JNIEnv *env, jvmtiEnv *jvmti, jthread *threads, jint count)
{
    for (jint i = 0; i < count; i++) {
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
}

/* ---- As ThreadMXBean tells it, while all threads go on ---- */

/* java.lang.management, which an image may lack. */
static struct {
    pthread_mutex_t lock;
    bool is_sought;
    jobject bean; /* NULL without that */
    jmethodID get_info;
    jmethodID get_owner_id;
    jfieldID thread_id; /* Thread.tid */
} management = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define MANAGEMENT "java/lang/management/"

/* An exception may be pending after that. */
static jobject find_bean(JNIEnv *env)
{
    jclass factory = (*env)->FindClass(env, MANAGEMENT "ManagementFactory");
    jmethodID get = factory != NULL ? (*env)->GetStaticMethodID(env, factory, "getThreadMXBean",
                                                                "()L" MANAGEMENT "ThreadMXBean;")
                                    : NULL;
    jobject bean = get != NULL ? (*env)->CallStaticObjectMethod(env, factory, get) : NULL;

    (*env)->DeleteLocalRef(env, factory);
    return bean;
}

static jmethodID find_method(JNIEnv *env, const char *class_name, const char *name,
                             const char *signature)
{
    jclass type = (*env)->FindClass(env, class_name);
    jmethodID method = type != NULL ? (*env)->GetMethodID(env, type, name, signature) : NULL;

    (void)jni_forget_exception(env);
    (*env)->DeleteLocalRef(env, type);
    return method;
}

static void seek_management(JNIEnv *env)
{
    jobject bean = find_bean(env);
    bool has_failed = jni_forget_exception(env) || bean == NULL;
    jclass type = (*env)->FindClass(env, "java/lang/Thread");

    management.get_info = find_method(env, MANAGEMENT "ThreadMXBean", "getThreadInfo",
                                      "(J)L" MANAGEMENT "ThreadInfo;");
    management.get_owner_id = find_method(env, MANAGEMENT "ThreadInfo", "getLockOwnerId", "()J");
    management.thread_id = (*env)->GetFieldID(env, type, "tid", "J");
    has_failed |=
        jni_forget_exception(env) || management.get_info == NULL || management.get_owner_id == NULL;
    management.bean = has_failed ? NULL : (*env)->NewGlobalRef(env, bean);
    (*env)->DeleteLocalRef(env, type);
    (*env)->DeleteLocalRef(env, bean);
}

static bool has_management(JNIEnv *env)
{
    (void)pthread_mutex_lock(&management.lock);
    if (!management.is_sought) {
        seek_management(env);
        management.is_sought = true;
    }
    (void)pthread_mutex_unlock(&management.lock);
    return management.bean != NULL;
}

static jlong id_of(JNIEnv *env, jthread thread)
{
    return (*env)->GetLongField(env, thread, management.thread_id);
}

/* The owner of what a thread waits for; -1 if none. False if unknown, as of virtual threads. */
static bool ask_owner_id(JNIEnv *env, jthread waiter, jlong *id)
{
    jobject info =
        (*env)->CallObjectMethod(env, management.bean, management.get_info, id_of(env, waiter));
    bool is_told = !jni_forget_exception(env) && info != NULL;

    if (is_told) {
        *id = (*env)->CallLongMethod(env, info, management.get_owner_id);
        is_told = !jni_forget_exception(env);
    }
    (*env)->DeleteLocalRef(env, info);
    return is_told;
}

static jthread find_thread(jvmtiEnv *jvmti, JNIEnv *env, jlong id)
{
    jthread *threads = NULL;
    jint count = 0;
    jthread found = NULL;

    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE) {
        return NULL;
    }
    for (jint i = 0; i < count && found == NULL; i++) {
        if (id_of(env, threads[i]) == id) {
            found = (*env)->NewLocalRef(env, threads[i]);
        }
    }
    delete_refs(env, jvmti, threads, count);
    return found;
}

/* ---- As JVMTI tells it, while all threads stand ---- */

static jthread find_monitor_owner(jvmtiEnv *jvmti, JNIEnv *env, jobject lock)
{
    jvmtiMonitorUsage usage = {0};

    if ((*jvmti)->GetObjectMonitorUsage(jvmti, lock, &usage) != JVMTI_ERROR_NONE) {
        return NULL;
    }
    delete_refs(env, jvmti, usage.waiters, usage.waiter_count);
    delete_refs(env, jvmti, usage.notify_waiters, usage.notify_waiter_count);
    return usage.owner;
}

jthread jvmti_monitor_owner(jvmtiEnv *jvmti, JNIEnv *env, jobject lock, jthread waiter,
                            int64_t *stopped_ns)
{
    jlong id = -1;

    if (has_management(env) && ask_owner_id(env, waiter, &id)) {
        return id >= 0 ? find_thread(jvmti, env, id) : NULL;
    }
    int64_t since_ns = mb_clock_now_ns();
    jthread owner = find_monitor_owner(jvmti, env, lock);
    *stopped_ns += mb_clock_now_ns() - since_ns;
    return owner;
}
