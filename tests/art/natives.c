/* What Android's own classes of messages and frames ask of the system. A queue is an eventfd that
 * is waited for by epoll; nobody traces, logs, or calls from another process. */
#include <jni.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

#define QUEUE "android/os/MessageQueue"
#define PROPERTIES "android/os/SystemProperties"

/* Its descriptor, above that by which it is waited for. Lives as long as the program. */
static jlong open_queue(JNIEnv *env, jclass type)
{
    int words = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    int waiting = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};

    if (words < 0 || waiting < 0 || epoll_ctl(waiting, EPOLL_CTL_ADD, words, &event) != 0) {
        (*env)->FatalError(env, "no queue");
    }
    return (jlong)words << 32 | waiting;
}

static void poll_once(JNIEnv *env, jobject self, jlong queue, jint timeout_ms)
{
    struct epoll_event event;
    eventfd_t words;

    (void)epoll_wait((int)queue, &event, 1, timeout_ms);
    (void)eventfd_read((int)(queue >> 32), &words);
}

static void wake(JNIEnv *env, jclass type, jlong queue)
{
    (void)eventfd_write((int)(queue >> 32), 1);
}

static jint otherwise(JNIEnv *env, jclass type, jstring name, jint value)
{
    return value;
}

/* Of those that follow most are @CriticalNative, without arguments of JNI's. */
static jlong uptime_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (jlong)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static jlong zero(void)
{
    return 0;
}

#define NATIVE(type, name, signature, function)                                                \
    {                                                                                          \
        type,                                                                                  \
        {                                                                                      \
            (char *)(uintptr_t)name, (char *)(uintptr_t)signature, (void *)(uintptr_t)function \
        }                                                                                      \
    }

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    const struct {
        const char *class_name;
        JNINativeMethod method;
    } natives[] = {
        NATIVE(QUEUE, "nativeInit", "()J", open_queue),
        NATIVE(QUEUE, "nativeDestroy", "(J)V", zero),
        NATIVE(QUEUE, "nativePollOnce", "(JI)V", poll_once),
        NATIVE(QUEUE, "nativeWake", "(J)V", wake),
        NATIVE(PROPERTIES, "native_get_int", "(Ljava/lang/String;I)I", otherwise),
        NATIVE(PROPERTIES, "native_get_boolean", "(Ljava/lang/String;Z)Z",
               zero), /* no display's clock */
        NATIVE("android/os/SystemClock", "uptimeMillis", "()J", uptime_ms),
        NATIVE("android/os/Binder", "clearCallingIdentity", "()J", zero),
        NATIVE("android/os/Binder", "flushPendingCommands", "()V", zero),
        NATIVE("android/os/Trace", "nativeGetEnabledTags", "()J", zero),
        NATIVE("android/os/Process", "setThreadPriority", "(I)V", zero),
        NATIVE("android/util/Log", "println_native", "(IILjava/lang/String;Ljava/lang/String;)I",
               zero),
        NATIVE("android/graphics/HardwareRenderer", "nHackySetRTAnimationsEnabled", "(Z)V", zero),
    };
    JNIEnv *env;

    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK) {
        return JNI_ERR;
    }
    for (size_t i = 0; i < sizeof(natives) / sizeof(natives[0]); i++) {
        jclass type = (*env)->FindClass(env, natives[i].class_name);
        if (type == NULL || (*env)->RegisterNatives(env, type, &natives[i].method, 1) != 0) {
            return JNI_ERR;
        }
    }
    return JNI_VERSION_1_6;
}
