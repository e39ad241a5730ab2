// What libopenjdk asks of the virtual machine, over POSIX and JNI; and of libart one function that
// it exports.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <string>

namespace art
{
class JavaVMExt
{
  public:
    bool LoadNativeLibrary(JNIEnv *, const std::string &path, jobject loader, jclass caller,
                           std::string *error);
};
} // namespace art

namespace
{

JNIEnv *current_env()
{
    using Find = jint (*)(JavaVM **, jsize, jsize *);
    auto find = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "JNI_GetCreatedJavaVMs"));
    JavaVM *vm = nullptr;
    jsize count = 0;
    void *env = nullptr;
    find(&vm, 1, &count);
    vm->GetEnv(&env, JNI_VERSION_1_6);
    return static_cast<JNIEnv *>(env);
}

} // namespace

extern "C" {

// ---- Files ----

jint JVM_Open(const char *path, jint flags, jint mode)
{
    int file = TEMP_FAILURE_RETRY(open(path, flags | O_CLOEXEC, mode));
    if (file < 0) {
        return errno == EEXIST ? -100 : -1;
    }
    return file;
}

jint JVM_Close(jint file)
{
    return close(file);
}

jint JVM_Read(jint file, char *bytes, jint size)
{
    return static_cast<jint>(TEMP_FAILURE_RETRY(read(file, bytes, size)));
}

jint JVM_Write(jint file, char *bytes, jint size)
{
    return static_cast<jint>(TEMP_FAILURE_RETRY(write(file, bytes, size)));
}

jlong JVM_Lseek(jint file, jlong offset, jint whence)
{
    return lseek64(file, offset, whence);
}

jint JVM_Sync(jint file)
{
    return TEMP_FAILURE_RETRY(fsync(file));
}

char *JVM_NativePath(char *path)
{
    return path;
}

jint JVM_InitializeSocketLibrary()
{
    return 0;
}

// ---- Locks ----

void *JVM_RawMonitorCreate()
{
    auto *mutex = static_cast<pthread_mutex_t *>(malloc(sizeof(pthread_mutex_t)));
    pthread_mutex_init(mutex, nullptr);
    return mutex;
}

void JVM_RawMonitorDestroy(void *mutex)
{
    pthread_mutex_destroy(static_cast<pthread_mutex_t *>(mutex));
    free(mutex);
}

jint JVM_RawMonitorEnter(void *mutex)
{
    return pthread_mutex_lock(static_cast<pthread_mutex_t *>(mutex));
}

void JVM_RawMonitorExit(void *mutex)
{
    pthread_mutex_unlock(static_cast<pthread_mutex_t *>(mutex));
}

// ---- Text ----

jint JVM_GetLastErrorString(char *text, int size)
{
    if (size == 0) {
        return 0;
    }
    snprintf(text, static_cast<size_t>(size), "%s", strerror(errno));
    return static_cast<jint>(strlen(text));
}

int jio_vfprintf(FILE *file, const char *format, va_list arguments)
{
    return vfprintf(file, format, arguments);
}

int jio_fprintf(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vfprintf(file, format, arguments);
    va_end(arguments);
    return count;
}

int jio_vsnprintf(char *text, size_t size, const char *format, va_list arguments)
{
    return static_cast<ssize_t>(size) <= 0 ? -1 : vsnprintf(text, size, format, arguments);
}

int jio_snprintf(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = jio_vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return count;
}

// ---- The machine ----

jlong JVM_CurrentTimeMillis(JNIEnv *, jclass)
{
    timeval now;
    gettimeofday(&now, nullptr);
    return now.tv_sec * 1000LL + now.tv_usec / 1000;
}

jlong JVM_FreeMemory()
{
    return 64 << 20;
}

jlong JVM_TotalMemory()
{
    return 128 << 20;
}

jlong JVM_MaxMemory()
{
    return 512 << 20;
}

void JVM_GC()
{
    JNIEnv *env = current_env();
    jclass type = env->FindClass("dalvik/system/VMRuntime");
    jmethodID get = env->GetStaticMethodID(type, "getRuntime", "()Ldalvik/system/VMRuntime;");
    jobject runtime = env->CallStaticObjectMethod(type, get);
    env->CallVoidMethod(runtime, env->GetMethodID(type, "concurrentGC", "()V"));
}

void JVM_Exit(jint status)
{
    exit(status);
}

void JVM_Halt(jint status)
{
    _exit(status);
}

jboolean JVM_IsNaN(jdouble number)
{
    return isnan(number);
}

// ---- Libraries ----

void *JVM_FindLibraryEntry(void *library, const char *name)
{
    return dlsym(library, name);
}

jstring JVM_NativeLoad(JNIEnv *env, jstring path, jobject loader, jclass caller)
{
    const char *text = env->GetStringUTFChars(path, nullptr);
    if (text == nullptr) {
        return nullptr;
    }
    std::string name(text);
    std::string error;
    JavaVM *vm = nullptr;
    env->ReleaseStringUTFChars(path, text);
    env->GetJavaVM(&vm);
    if (reinterpret_cast<art::JavaVMExt *>(vm)->LoadNativeLibrary(env, name, loader, caller,
                                                                  &error)) {
        return nullptr;
    }
    env->ExceptionClear();
    return env->NewStringUTF(error.c_str());
}

} // extern "C"
