#include "agent/jvm.h"

#include <stdio.h>

struct agent_jvm agent_jvm;

void agent_print(const char *text, const char *reason)
{
    (void)fprintf(stderr, "methodbeat: %s%s%s\n", text, reason[0] != '\0' ? ": " : "", reason);
}

static bool is_same(JNIEnv *env, jobject loader, jobject known)
{
    return known != NULL && (*env)->IsSameObject(env, loader, known) != JNI_FALSE;
}

bool agent_is_jdk_loader(JNIEnv *env, jobject loader)
{
    return loader == NULL || is_same(env, loader, agent_jvm.platform_loader) ||
           (agent_jvm.accessor_loader != NULL &&
            (*env)->IsInstanceOf(env, loader, agent_jvm.accessor_loader) != JNI_FALSE);
}

uint32_t agent_loader_number(JNIEnv *env, jobject loader)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;
    jint hash = 0;

    if (!is_same(env, loader, agent_jvm.system_loader)) {
        (void)(*jvmti)->GetObjectHashCode(jvmti, loader, &hash);
    }
    return (uint32_t)hash;
}
