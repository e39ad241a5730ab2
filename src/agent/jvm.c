#include "agent/jvm.h"

#include "base/check.h"

#include <stdio.h>
#include <string.h>

struct agent_jvm agent_jvm;

void agent_print(const char *text, const char *reason)
{
    (void)fprintf(stderr, "methodbeat: %s%s%s\n", text, reason[0] != '\0' ? ": " : "", reason);
}

bool agent_is_jdk_loader(JNIEnv *env, jobject loader)
{
    return loader == NULL ||
           (agent_jvm.platform_loader != NULL &&
            (*env)->IsSameObject(env, loader, agent_jvm.platform_loader) != JNI_FALSE);
}

bool agent_is_made_by_jdk(const char *name)
{
    static const char *const packages[] = {"jdk/internal/", "jdk/proxy", "com/sun/proxy/",
                                           "sun/reflect/"};

    for (size_t i = 0; i < MB_COUNT(packages); i++) {
        if (strncmp(name, packages[i], strlen(packages[i])) == 0) {
            return true;
        }
    }
    return strstr(name, "$Proxy") != NULL;
}
