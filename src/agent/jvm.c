#include "agent/jvm.h"

#include "agent/notice.h"
#include "agent/tally.h"
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

/* ---- Calls that go on in the code that they were entered in ---- */

#define MOST_FRAMES 2048 /* that are looked at, innermost first */

/* Calls of it that are obsolete; each is shown to visit, which may be NULL. */
static uint64_t count_obsolete(JNIEnv *env, jthread thread, jvmtiFrameInfo *frames,
                               agent_visit *visit)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;
    jint count = 0;
    uint64_t calls = 0;

    if ((*jvmti)->GetStackTrace(jvmti, thread, 0, MOST_FRAMES, frames, &count) !=
        JVMTI_ERROR_NONE) {
        return 0; /* it has ended */
    }
    for (jint i = 0; i < count; i++) {
        jboolean is_obsolete = JNI_FALSE;
        (void)(*jvmti)->IsMethodObsolete(jvmti, frames[i].method, &is_obsolete);
        calls += is_obsolete != JNI_FALSE;
        if (is_obsolete != JNI_FALSE && visit != NULL) {
            visit(env, frames[i].method);
        }
    }
    return calls;
}

/* Adds to *thread_count the threads that have such calls. Returns the number of calls. */
static uint64_t walk_all(JNIEnv *env, agent_visit *visit, uint64_t *thread_count)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;
    jvmtiFrameInfo *frames = calloc(MOST_FRAMES, sizeof(*frames));
    jthread *threads = NULL;
    jint count = 0;
    uint64_t all_calls = 0;

    if (frames == NULL || (*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE) {
        count = 0;
    }
    for (jint i = 0; i < count; i++) {
        uint64_t calls = count_obsolete(env, threads[i], frames, visit);
        *thread_count += calls > 0;
        all_calls += calls;
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
    free(frames);
    return all_calls;
}

void agent_count_inside(JNIEnv *env)
{
    uint64_t threads = 0;
    uint64_t calls = walk_all(env, NULL, &threads);

    agent_tally_add(ABI_WEAVING_THREADS, threads);
    agent_tally_add(ABI_WEAVING_INSIDE, calls);
}

void agent_visit_inside(JNIEnv *env, agent_visit *visit)
{
    uint64_t threads = 0;

    (void)walk_all(env, visit, &threads);
}
