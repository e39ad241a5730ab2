#include "jni/monitors.h"

#include "jni/exceptions.h"
#include "jni/text.h"

#include <stdlib.h>
#include <string.h>

/* Where NativeMonitors.exits has what, of each. */
enum place { WALL_MS, PID, NOTED, REASON, TRACE, TEXT_COUNT };

static struct {
    jclass type;
    jmethodID exits;
    jmethodID told;
    jmethodID note;
} java;

bool jni_exits_find(JNIEnv *env, jclass type)
{
    java.type = type;
    java.exits = (*env)->GetStaticMethodID(env, type, "exits", "()[Ljava/lang/String;");
    if (java.exits == NULL) {
        return false;
    }
    java.told = (*env)->GetStaticMethodID(env, type, "exitsTold", "()V");
    if (java.told == NULL) {
        return false;
    }
    java.note = (*env)->GetStaticMethodID(env, type, "note", "([B)V");
    return java.note != NULL;
}

static int64_t number_of(const char *text)
{
    return text != NULL ? strtoll(text, NULL, 10) : 0;
}

static void add_exit(JNIEnv *env, jobjectArray array, jsize first, struct watch_exits *exits)
{
    char *texts[TEXT_COUNT];

    for (jsize i = 0; i < TEXT_COUNT; i++) {
        jobject text = (*env)->GetObjectArrayElement(env, array, first + i);
        texts[i] = jni_text_create(env, text);
        (*env)->DeleteLocalRef(env, text);
    }
    const struct watch_exit exit = {.wall_ns = number_of(texts[WALL_MS]) * 1000000,
                                    .pid = (uint32_t)number_of(texts[PID]),
                                    .noted = texts[NOTED],
                                    .reason = texts[REASON],
                                    .trace = texts[TRACE]};
    watch_exit_add(exits, &exit);
    for (jsize i = 0; i < TEXT_COUNT; i++) {
        free(texts[i]);
    }
}

void jni_exits_ask(JNIEnv *env, struct watch_exits *exits)
{
    jobjectArray array = (*env)->CallStaticObjectMethodA(env, java.type, java.exits, NULL);

    (void)jni_forget_exception(env);
    jsize size = array != NULL ? (*env)->GetArrayLength(env, array) : 0;
    for (jsize i = 0; i + TEXT_COUNT <= size; i += TEXT_COUNT) {
        add_exit(env, array, i, exits);
    }
    (*env)->DeleteLocalRef(env, array);
}

void jni_exits_told(JNIEnv *env)
{
    (*env)->CallStaticVoidMethodA(env, java.type, java.told, NULL);
    (void)jni_forget_exception(env);
}

void jni_exits_note(JNIEnv *env, const char *incident)
{
    jsize size = (jsize)strlen(incident);
    jbyteArray bytes = (*env)->NewByteArray(env, size);

    if (bytes != NULL) {
        const jvalue arguments[] = {{.l = bytes}};
        (*env)->SetByteArrayRegion(env, bytes, 0, size, (const jbyte *)incident);
        (*env)->CallStaticVoidMethodA(env, java.type, java.note, arguments);
    }
    (void)jni_forget_exception(env);
    (*env)->DeleteLocalRef(env, bytes);
}
