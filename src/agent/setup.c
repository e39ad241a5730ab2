#include "agent/setup.h"

#include "abi/names.h"
#include "agent/jvm.h"
#include "agent/weaver.h"
#include "jni/exceptions.h"
#include "jni/monitors.h"
#include "jni/probes.h"
#include "recorder/method_names.h"

#include <stdio.h>
#include <string.h>

static bool set_property(JNIEnv *env, jclass type, jmethodID set, const char *setting)
{
    char name[128];
    size_t size = strcspn(setting, "=");

    (void)snprintf(name, sizeof(name), "methodbeat.%.*s", (int)size, setting);
    jstring key = (*env)->NewStringUTF(env, name);
    jstring value = (*env)->NewStringUTF(env, setting + size + 1);
    bool is_set = key != NULL && value != NULL;
    if (is_set) {
        (void)(*env)->CallStaticObjectMethod(env, type, set, key, value);
    }
    return !jni_forget_exception(env) && is_set;
}

bool agent_set_properties(JNIEnv *env, struct agent_settings settings)
{
    jclass type = (*env)->FindClass(env, "java/lang/System");
    jmethodID set = (*env)->GetStaticMethodID(
        env, type, "setProperty", "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;");
    bool is_set = set != NULL;

    for (size_t i = 0; is_set && i < settings.count; i++) {
        is_set = set_property(env, type, set, settings.texts[i]);
    }
    return is_set;
}

/* Initializes it. */
static bool has_other_bridge(JNIEnv *env)
{
    bool is_found = (*env)->FindClass(env, AGENT_BRIDGE) != NULL;

    return !jni_forget_exception(env) && is_found;
}

/* A class that extends one of a module that this runtime lacks, such as Swing's, is left out, and
 * with it what it is for. One that an earlier try defined stays. The bridge is not asked for: it
 * begins to record as it is initialized. */
static bool define_classes(JNIEnv *env)
{
    static bool has_bridge;

    for (size_t i = 0; i < agent_class_count; i++) {
        const struct agent_class *cls = &agent_classes[i];
        jclass defined =
            (*env)->DefineClass(env, cls->name, NULL, (const jbyte *)cls->bytes, (jsize)cls->size);
        (void)jni_forget_exception(env);
        has_bridge = has_bridge || (defined != NULL && strcmp(cls->name, AGENT_BRIDGE) == 0);
        (*env)->DeleteLocalRef(env, defined);
    }
    return has_bridge;
}

static jobject call_for_object(JNIEnv *env, jobject object, const char *name, const char *signature)
{
    jclass type = object != NULL ? (*env)->GetObjectClass(env, object) : NULL;
    jmethodID method = type != NULL ? (*env)->GetMethodID(env, type, name, signature) : NULL;
    jobject result = method != NULL ? (*env)->CallObjectMethod(env, object, method) : NULL;

    return jni_forget_exception(env) ? NULL : result;
}

static jobject call_static_for_object(JNIEnv *env, const char *class_name, const char *name,
                                      const char *signature)
{
    jclass type = (*env)->FindClass(env, class_name);
    jmethodID method = type != NULL ? (*env)->GetStaticMethodID(env, type, name, signature) : NULL;
    jobject result = method != NULL ? (*env)->CallStaticObjectMethod(env, type, method) : NULL;

    return jni_forget_exception(env) ? NULL : result;
}

/* The bridge is in java.base, MethodBeat in no module. Java 8 has none. MethodBeat itself is not
 * asked for it: it begins to record as it is initialized, by the first probe. */
static bool join_modules(JNIEnv *env)
{
    jint version = 0;
    jobject base = NULL;

    (void)(*agent_jvm.jvmti)->GetVersionNumber(agent_jvm.jvmti, &version);
    if ((version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR < 9) {
        return true;
    }
    jclass ours = (*env)->FindClass(env, "methodbeat/NativeProbes");
    jobject unnamed = call_for_object(env, ours, "getModule", "()Ljava/lang/Module;");
    return unnamed != NULL &&
           (*agent_jvm.jvmti)->GetNamedModule(agent_jvm.jvmti, NULL, "java/lang", &base) ==
               JVMTI_ERROR_NONE &&
           base != NULL &&
           (*agent_jvm.jvmti)->AddModuleReads(agent_jvm.jvmti, base, unnamed) == JVMTI_ERROR_NONE;
}

/* From 9 on it is the platform's, before it was that of extensions; whatever loader the program has
 * for its own. */
static jobject find_platform_loader(JNIEnv *env)
{
    jobject loader = call_static_for_object(env, "java/lang/ClassLoader", "getPlatformClassLoader",
                                            "()Ljava/lang/ClassLoader;");
    if (loader != NULL) {
        return loader;
    }
    jobject launcher =
        call_static_for_object(env, "sun/misc/Launcher", "getLauncher", "()Lsun/misc/Launcher;");
    loader = call_for_object(env, launcher, "getClassLoader", "()Ljava/lang/ClassLoader;");
    return call_for_object(env, loader, "getParent", "()Ljava/lang/ClassLoader;");
}

/* Each of the accessors that reflection makes up to 21 has one of its own. */
static jclass find_accessor_loader(JNIEnv *env)
{
    jclass type = (*env)->FindClass(env, "jdk/internal/reflect/DelegatingClassLoader");

    if (jni_forget_exception(env) || type == NULL) {
        type = (*env)->FindClass(env, "sun/reflect/DelegatingClassLoader");
    }
    return jni_forget_exception(env) ? NULL : type;
}

/* Global references last as long as the JVM. */
static void find_loaders(JNIEnv *env)
{
    jobject system = call_static_for_object(env, "java/lang/ClassLoader", "getSystemClassLoader",
                                            "()Ljava/lang/ClassLoader;");

    agent_jvm.system_loader = (*env)->NewGlobalRef(env, system);
    agent_jvm.platform_loader = (*env)->NewGlobalRef(env, find_platform_loader(env));
    agent_jvm.accessor_loader = (*env)->NewGlobalRef(env, find_accessor_loader(env));
}

enum abi_attach_result agent_setup(JNIEnv *env)
{
    static bool has_begun;
    static bool is_done;

    if (is_done) {
        return ABI_ATTACH_DONE;
    }
    /* By another file of this library: two would each have a recorder, and probes call one. */
    if (!has_begun && has_other_bridge(env)) {
        agent_print("nothing is recorded: another build of the agent is in this JVM already", "");
        return ABI_ATTACH_OTHER_BUILD;
    }
    has_begun = true;
    beat_names_expect();
    if (!define_classes(env) || !jni_probes_register(env) || !join_modules(env)) {
        (void)jni_forget_exception(env);
        agent_print("nothing is recorded: its classes do not fit this JVM", "");
        return ABI_ATTACH_FAILED;
    }
    (void)jni_monitors_register(agent_jvm.vm, env); /* recording does without */
    (void)jni_forget_exception(env);
    find_loaders(env);
    is_done = true;
    return ABI_ATTACH_DONE;
}
