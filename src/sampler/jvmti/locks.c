#include "sampler/jvmti/runtime.h"

#include "jni/exceptions.h"
#include "sampler/jvmti/methods.h"

#include <stdio.h>
#include <string.h>

struct mb_text jvmti_class_name(const char *signature)
{
    size_t size = strlen(signature);
    struct mb_text name =
        size > 2 ? (struct mb_text){signature + 1, size - 2} : (struct mb_text){signature, size};
    const char *address = memmem(name.data, name.size, "0x0", 3);

    if (address > name.data + 1 && (address[-1] == '/' || address[-1] == '.')) {
        name.size = (size_t)(address - 1 - name.data);
    }
    return name;
}

void jvmti_lock_name(jvmtiEnv *jvmti, JNIEnv *env, jobject lock, char name[ABI_LOCK_NAME_SIZE])
{
    jclass type = (*env)->GetObjectClass(env, lock);
    jclass of_classes = (*env)->FindClass(env, "java/lang/Class");
    bool is_class = of_classes != NULL && (*env)->IsInstanceOf(env, lock, of_classes) != JNI_FALSE;
    char *signature = NULL;

    name[0] = '\0';
    (void)jni_forget_exception(env);
    (*env)->DeleteLocalRef(env, of_classes);
    if ((*jvmti)->GetClassSignature(jvmti, is_class ? lock : type, &signature, NULL) ==
        JVMTI_ERROR_NONE) {
        struct mb_text text = jvmti_class_name(signature);
        (void)snprintf(name, ABI_LOCK_NAME_SIZE, "%.*s%s", (int)text.size, text.data,
                       is_class ? ".class" : "");
        (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    (*env)->DeleteLocalRef(env, type);
}

/* A field of an object that has it; NULL of others. */
static jobject get_field(JNIEnv *env, jobject object, const char *class_name, const char *name,
                         const char *signature)
{
    jclass type = (*env)->FindClass(env, class_name);
    jfieldID field = type != NULL && (*env)->IsInstanceOf(env, object, type) != JNI_FALSE
                         ? (*env)->GetFieldID(env, type, name, signature)
                         : NULL;
    jobject value = field != NULL ? (*env)->GetObjectField(env, object, field) : NULL;

    (void)jni_forget_exception(env);
    (*env)->DeleteLocalRef(env, type);
    return value;
}

#define SYNCHRONIZER "java/util/concurrent/locks/AbstractOwnableSynchronizer"

jthread jvmti_synchronizer_owner(JNIEnv *env, jobject lock)
{
    return get_field(env, lock, SYNCHRONIZER, "exclusiveOwnerThread", "Ljava/lang/Thread;");
}

jobject jvmti_lock_of_parked(JNIEnv *env, jthread thread)
{
    jobject lock = get_field(env, thread, "java/lang/Thread", "parkBlocker", "Ljava/lang/Object;");
    jclass type = lock != NULL ? (*env)->FindClass(env, SYNCHRONIZER) : NULL;
    bool is_lock = type != NULL && (*env)->IsInstanceOf(env, lock, type) != JNI_FALSE;
    jobject held = is_lock ? (*env)->NewGlobalRef(env, lock) : NULL;

    (void)jni_forget_exception(env);
    (*env)->DeleteLocalRef(env, type);
    (*env)->DeleteLocalRef(env, lock);
    return held;
}

bool jvmti_has_loader(jvmtiEnv *jvmti, JNIEnv *env, jclass type)
{
    jobject loader = NULL;

    (void)(*jvmti)->GetClassLoader(jvmti, type, &loader);
    bool has = loader != NULL;
    (*env)->DeleteLocalRef(env, loader);
    return has;
}

bool jvmti_takes_lock(jvmtiEnv *jvmti, JNIEnv *env, jclass type, jmethodID key, jint access)
{
    const jint synchronized = 0x20;
    const unsigned char astore = 0x3a;
    const unsigned char astore_0 = 0x4b;
    const unsigned char monitorenter = 0xc2;
    unsigned char *code = NULL;
    jint size = 0;
    bool has_loader = jvmti_has_loader(jvmti, env, type);
    bool is_found = (access & synchronized) != 0;

    if (!has_loader || (*jvmti)->GetBytecodes(jvmti, key, &size, &code) != JVMTI_ERROR_NONE) {
        return is_found && has_loader;
    }
    for (jint i = 2; i < size && !is_found; i++) {
        bool is_kept =
            (code[i - 1] >= astore_0 && code[i - 1] < astore_0 + 4) || code[i - 2] == astore;
        is_found = code[i] == monitorenter && is_kept;
    }
    (void)(*jvmti)->Deallocate(jvmti, code);
    return is_found;
}
