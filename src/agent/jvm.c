#include "agent/jvm.h"

#include "agent/notice.h"

#include <stdio.h>

#define LINE_SIZE 700

struct agent_jvm agent_jvm;

void agent_print(const char *text, const char *reason)
{
    char line[LINE_SIZE];

    (void)snprintf(line, sizeof(line), "%s%s%s", text, reason[0] != '\0' ? ": " : "", reason);
    (void)fprintf(stderr, "methodbeat: %s\n", line);
    agent_notice_put(ABI_RUN_FAILED, line);
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
