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

/* ---- As HotSpot's ThreadMXBean tells it, while all threads go on ---- */

/* Of java.management, which an image may lack, and of the JDK with virtual threads. */
static struct {
    pthread_mutex_t lock;
    bool is_sought;
    jobject bean; /* NULL without that */
    jmethodID get_info;
    jmethodID get_owner_id;
    jfieldID thread_id; /* Thread.tid */
    jclass carriers;    /* NULL without these */
    jclass virtuals;
} management = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define MANAGEMENT "java/lang/management/"

/* By what ManagementFactory itself calls, which looks for beans of all kinds first. An exception
 * may be pending after that. */
static jobject find_bean(JNIEnv *env)
{
    jclass factory = (*env)->FindClass(env, "sun/management/ManagementFactoryHelper");
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

    if (jni_forget_exception(env) || bean == NULL) {
        return;
    }
    jclass type = (*env)->FindClass(env, "java/lang/Thread");
    management.thread_id = (*env)->GetFieldID(env, type, "tid", "J");
    bool has_failed = jni_forget_exception(env);
    management.get_info = find_method(env, MANAGEMENT "ThreadMXBean", "getThreadInfo",
                                      "(J)L" MANAGEMENT "ThreadInfo;");
    management.get_owner_id = find_method(env, MANAGEMENT "ThreadInfo", "getLockOwnerId", "()J");
    has_failed |= management.get_info == NULL || management.get_owner_id == NULL;
    management.carriers = jni_find_class(env, "jdk/internal/misc/CarrierThread");
    management.virtuals = jni_find_class(env, "java/lang/BaseVirtualThread");
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

static bool is_of(JNIEnv *env, jthread thread, jclass type)
{
    return type != NULL && (*env)->IsInstanceOf(env, thread, type) != JNI_FALSE;
}

/* The bean tells of it instead of the virtual thread that it carries. */
static bool is_carrier(JNIEnv *env, jthread thread)
{
    return is_of(env, thread, management.carriers);
}

static bool has_id(JNIEnv *env, jthread thread, jlong id)
{
    return (*env)->GetLongField(env, thread, management.thread_id) == id;
}

/* The owner of what a thread waits for; -1 if none, or it has ended. False if unknown, as of
 * virtual threads. */
static bool ask_owner_id(JNIEnv *env, jthread waiter, jlong *id)
{
    if (is_carrier(env, waiter) || is_of(env, waiter, management.virtuals)) {
        return false;
    }
    jlong waiter_id = (*env)->GetLongField(env, waiter, management.thread_id);
    jobject info = (*env)->CallObjectMethod(env, management.bean, management.get_info, waiter_id);
    bool has_failed = jni_forget_exception(env);

    *id = -1;
    if (info != NULL && !has_failed) {
        *id = (*env)->CallLongMethod(env, info, management.get_owner_id);
        has_failed = jni_forget_exception(env);
    }
    (*env)->DeleteLocalRef(env, info);
    return !has_failed;
}

static jthread find_thread(jvmtiEnv *jvmti, JNIEnv *env, jlong id)
{
    jthread *threads = NULL;
    jint count = 0;
    jthread found = NULL;

    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE) {
        return NULL;
    }
    (void)(*env)->EnsureLocalCapacity(env, 1); /* or -Xcheck:jni minds them */
    for (jint i = 0; i < count && found == NULL; i++) {
        found = has_id(env, threads[i], id) ? (*env)->NewLocalRef(env, threads[i]) : NULL;
    }
    delete_refs(env, jvmti, threads, count);
    return found;
}

/* False if it is not told, or what it says is not of the thread. */
static bool ask_management(jvmtiEnv *jvmti, JNIEnv *env, jthread waiter, jthread *owner)
{
    jlong id = -1;

    if (!has_management(env) || !ask_owner_id(env, waiter, &id)) {
        return false;
    }
    *owner = id >= 0 ? find_thread(jvmti, env, id) : NULL;
    if (*owner == NULL || !is_carrier(env, *owner)) {
        return true;
    }
    (*env)->DeleteLocalRef(env, *owner);
    return false;
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
    jthread owner = NULL;

    if (ask_management(jvmti, env, waiter, &owner)) {
        return owner;
    }
    int64_t since_ns = mb_clock_now_ns();
    owner = find_monitor_owner(jvmti, env, lock);
    *stopped_ns += mb_clock_now_ns() - since_ns;
    return owner;
}
