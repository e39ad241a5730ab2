#include "agent/jvm.h"

#include "agent/notice.h"
#include "base/check.h"
#include "recorder/clock.h"
#include "recorder/pauses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Most of the JDK's, and the agent's own. */
static bool is_of_jdk(const char *name)
{
    static const char *const starts[] = {"java/", "javax/",   "jdk/",
                                         "sun/",  "com/sun/", "methodbeat/"};

    for (size_t i = 0; i < MB_COUNT(starts); i++) {
        if (strncmp(name, starts[i], strlen(starts[i])) == 0) {
            return true;
        }
    }
    return false;
}

bool agent_is_boot_extra(JNIEnv *env, const char *name)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;
    const char *slash = strrchr(name, '/');
    jobject module = NULL;

    if (is_of_jdk(name) || (*jvmti)->GetNamedModule == NULL) {
        return false;
    }
    char *package = strndup(name, slash != NULL ? (size_t)(slash - name) : 0);
    bool is_extra = package != NULL &&
                    (*jvmti)->GetNamedModule(jvmti, NULL, package, &module) == JVMTI_ERROR_NONE &&
                    module == NULL;
    free(package);
    (*env)->DeleteLocalRef(env, module);
    return is_extra;
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

/* ---- Collections of garbage ---- */

/* One collection at a time, while all threads of Java stand still. No call of the JVM is allowed.
 */
static int64_t start_ns;

void JNICALL agent_collection_begins(jvmtiEnv *jvmti)
{
    (void)jvmti;
    start_ns = beat_clock_monotonic_ns();
}

void JNICALL agent_collection_ends(jvmtiEnv *jvmti)
{
    (void)jvmti;
    beat_pause_note(ABI_PAUSE_COLLECTION, start_ns, beat_clock_monotonic_ns());
}

void agent_collections_watch(jvmtiEnv *jvmti)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                        JVMTI_EVENT_GARBAGE_COLLECTION_FINISH};
    const jvmtiCapabilities wanted = {.can_generate_garbage_collection_events = 1};

    if ((*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE) {
        return;
    }
    for (size_t i = 0; i < MB_COUNT(events); i++) {
        (void)(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL);
    }
}
