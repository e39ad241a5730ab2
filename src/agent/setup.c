#include "agent/setup.h"

#include "abi/names.h"
#include "agent/classes.h"
#include "agent/jvm.h"
#include "agent/weaver.h"
#include "jni/exceptions.h"
#include "jni/monitors.h"
#include "jni/probes.h"
#include "recorder/method_names.h"

#include <stdio.h>

bool agent_set_properties(JNIEnv *env, const struct agent_setting *settings, size_t count)
{
    jclass type = (*env)->FindClass(env, "java/lang/System");
    jmethodID set = (*env)->GetStaticMethodID(
        env, type, "setProperty", "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;");
    bool is_set = set != NULL;

    for (size_t i = 0; is_set && i < count; i++) {
        char name[128];
        (void)snprintf(name, sizeof(name), "methodbeat.%s", settings[i].name);
        jstring key = (*env)->NewStringUTF(env, name);
        jstring value = (*env)->NewStringUTF(env, settings[i].value);
        is_set = key != NULL && value != NULL;
        if (is_set) {
            (void)(*env)->CallStaticObjectMethod(env, type, set, key, value);
        }
        is_set = !jni_forget_exception(env) && is_set;
    }
    return is_set;
}

/* By another file of this library: two would each have a recorder, and probes call one. */
static bool has_other_agent(JNIEnv *env)
{
    bool has_bridge = (*env)->FindClass(env, AGENT_BRIDGE) != NULL;

    return !jni_forget_exception(env) && has_bridge;
}

static bool define_classes(JNIEnv *env)
{
    if (has_other_agent(env)) {
        agent_print("nothing is recorded: another build of the agent is in this JVM already", "");
        return false;
    }
    for (size_t i = 0; i < agent_class_count; i++) {
        const struct agent_class *cls = &agent_classes[i];
        jclass defined =
            (*env)->DefineClass(env, cls->name, NULL, (const jbyte *)cls->bytes, (jsize)cls->size);
        if (defined == NULL || jni_forget_exception(env)) {
            agent_print("nothing is recorded: a class cannot be defined", cls->name);
            return false;
        }
        (*env)->DeleteLocalRef(env, defined);
    }
    return true;
}

/* The bridge is in java.base, MethodBeat in no module. Java 8 has none. */
static bool join_modules(JNIEnv *env)
{
    jint version = 0;
    jobject base = NULL;

    (void)(*agent_jvm.jvmti)->GetVersionNumber(agent_jvm.jvmti, &version);
    if ((version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR < 9) {
        return true;
    }
    jclass beat = (*env)->FindClass(env, ABI_BEAT_CLASS);
    jclass type = (*env)->FindClass(env, "java/lang/Class");
    jmethodID get_module =
        type != NULL ? (*env)->GetMethodID(env, type, "getModule", "()Ljava/lang/Module;") : NULL;
    jobject unnamed =
        beat != NULL && get_module != NULL ? (*env)->CallObjectMethod(env, beat, get_module) : NULL;
    return !jni_forget_exception(env) && unnamed != NULL &&
           (*agent_jvm.jvmti)->GetNamedModule(agent_jvm.jvmti, NULL, "java/lang", &base) ==
               JVMTI_ERROR_NONE &&
           base != NULL &&
           (*agent_jvm.jvmti)->AddModuleReads(agent_jvm.jvmti, base, unnamed) == JVMTI_ERROR_NONE;
}

/* The parent of the system's class loader. */
static void find_platform_loader(JNIEnv *env)
{
    jclass type = (*env)->FindClass(env, "java/lang/ClassLoader");
    jmethodID system =
        (*env)->GetStaticMethodID(env, type, "getSystemClassLoader", "()Ljava/lang/ClassLoader;");
    jmethodID parent = (*env)->GetMethodID(env, type, "getParent", "()Ljava/lang/ClassLoader;");
    jobject loader = (*env)->CallStaticObjectMethod(env, type, system);

    for (jobject above = loader; above != NULL && !jni_forget_exception(env);) {
        loader = above;
        above = (*env)->CallObjectMethod(env, above, parent);
    }
    (void)jni_forget_exception(env);
    agent_jvm.platform_loader = loader != NULL ? (*env)->NewGlobalRef(env, loader) : NULL;
}

bool agent_setup(JNIEnv *env)
{
    beat_names_expect();
    if (!define_classes(env)) {
        return false;
    }
    if (!jni_probes_register(env) || !join_modules(env)) {
        (void)jni_forget_exception(env);
        agent_print("nothing is recorded: its classes do not fit this JVM", "");
        return false;
    }
    (void)jni_monitors_register(agent_jvm.vm, env); /* recording does without */
    (void)jni_forget_exception(env);
    find_platform_loader(env);
    return true;
}
