/* An agent before ours, which has the JVM look like ART to it: another name, no version, no
 * AsyncGetCallTrace by that, and only what ART's JVMTI offers. As the JVM ends, it says on standard
 * error how often functions of JVMTI were called that stop threads or ask for their CPU time. */

#include <jvmti.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static struct JNIInvokeInterface_ machine;
static const struct JNIInvokeInterface_ *whole_machine;
static struct jvmtiInterface_1_ lesser;
static const struct jvmtiInterface_1_ *whole;

static _Atomic(int) stacks;
static _Atomic(int) stops;
static _Atomic(int) clocks;

static jvmtiError JNICALL stop_thread(jvmtiEnv *env, jthread thread)
{
    (void)env;
    (void)thread;
    atomic_fetch_add(&stops, 1);
    return JVMTI_ERROR_NOT_AVAILABLE;
}

static jvmtiError JNICALL all_stacks(jvmtiEnv *env, jint most, jvmtiStackInfo **infos, jint *count)
{
    (void)env;
    (void)most;
    (void)infos;
    (void)count;
    atomic_fetch_add(&stops, 1);
    return JVMTI_ERROR_NOT_AVAILABLE;
}

static jvmtiError JNICALL read_clock(jvmtiEnv *env, jthread thread, jlong *ns)
{
    (void)env;
    (void)thread;
    (void)ns;
    atomic_fetch_add(&clocks, 1);
    return JVMTI_ERROR_MUST_POSSESS_CAPABILITY;
}

/* The parameters are JVMTI's. */
static jvmtiError JNICALL read_stack(jvmtiEnv *env, jthread thread, jint start, jint most,
                                     jvmtiFrameInfo *frames, jint *count)
{
    atomic_fetch_add(&stacks, 1);
    return whole->GetStackTrace(env, thread, start, most, frames, count);
}

/* What kPotentialCapabilities of ART's openjdkjvmti lacks, of what anybody could ask for. */
static void take_away(jvmtiCapabilities *capabilities)
{
    capabilities->can_get_thread_cpu_time = 0;
    capabilities->can_get_current_thread_cpu_time = 0;
    capabilities->can_generate_compiled_method_load_events = 0;
    capabilities->can_generate_all_class_hook_events = 0;
    capabilities->can_get_constant_pool = 0;
    capabilities->can_maintain_original_method_order = 0;
    capabilities->can_redefine_any_class = 0;
    capabilities->can_retransform_any_class = 0;
    capabilities->can_set_native_method_prefix = 0;
}

static jvmtiError JNICALL offer(jvmtiEnv *env, jvmtiCapabilities *capabilities)
{
    jvmtiError error = whole->GetPotentialCapabilities(env, capabilities);

    take_away(capabilities);
    return error;
}

static jvmtiError JNICALL add(jvmtiEnv *env, const jvmtiCapabilities *capabilities)
{
    jvmtiCapabilities left = *capabilities;

    take_away(&left);
    return memcmp(&left, capabilities, sizeof(left)) == 0
               ? whole->AddCapabilities(env, capabilities)
               : JVMTI_ERROR_NOT_AVAILABLE;
}

static jvmtiError JNICALL tell_property(jvmtiEnv *env, const char *name, char **value)
{
    const char *other = strcmp(name, "java.vm.name") == 0                    ? "Dalvik"
                        : strcmp(name, "java.vm.specification.version") == 0 ? "0.9"
                                                                             : NULL;
    unsigned char *copy = NULL;

    if (other == NULL) {
        return whole->GetSystemProperty(env, name, value);
    }
    jvmtiError error = whole->Allocate(env, (jlong)strlen(other) + 1, &copy);
    if (error == JVMTI_ERROR_NONE) {
        memcpy(copy, other, strlen(other) + 1);
        *value = (char *)copy;
    }
    return error;
}

static jint JNICALL get_env(JavaVM *vm, void **env, jint version)
{
    jint result = whole_machine->GetEnv(vm, env, version);

    if (result == JNI_OK &&
        (version & JVMTI_VERSION_MASK_INTERFACE_TYPE) == JVMTI_VERSION_INTERFACE_JVMTI) {
        jvmtiEnv *jvmti = *env;
        if (whole == NULL) {
            whole = *jvmti;
            lesser = *whole;
            lesser.GetPotentialCapabilities = offer;
            lesser.AddCapabilities = add;
            lesser.GetSystemProperty = tell_property;
            lesser.GetStackTrace = read_stack;
            lesser.SuspendThread = stop_thread;
            lesser.GetAllStackTraces = all_stacks;
            lesser.GetThreadCpuTime = read_clock;
        }
        *jvmti = &lesser;
    }
    return result;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
    (void)text;
    (void)reserved;
    whole_machine = *vm;
    machine = *whole_machine;
    machine.GetEnv = get_env;
    *vm = &machine;
    return JNI_OK;
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
    (void)fprintf(stderr, "lesser: %d stacks, %d stops, %d clocks\n", atomic_load(&stacks),
                  atomic_load(&stops), atomic_load(&clocks));
}
