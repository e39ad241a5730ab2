#include "agent/inside.h"

#include "agent/jvm.h"
#include "agent/tally.h"

#include <stdlib.h>

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
