#include "agent/inside.h"

#include "agent/jvm.h"
#include "agent/tally.h"

#include <stdlib.h>

#define MOST_FRAMES 2048 /* that are looked at, innermost first */

static uint64_t count_obsolete(jthread thread, jvmtiFrameInfo *frames)
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
    }
    return calls;
}

void agent_count_inside(JNIEnv *env)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;
    jvmtiFrameInfo *frames = calloc(MOST_FRAMES, sizeof(*frames));
    jthread *threads = NULL;
    jint count = 0;

    if (frames == NULL || (*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE) {
        count = 0;
    }
    for (jint i = 0; i < count; i++) {
        uint64_t calls = count_obsolete(threads[i], frames);
        agent_tally_add(ABI_WEAVING_THREADS, calls > 0);
        agent_tally_add(ABI_WEAVING_INSIDE, calls);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
    free(frames);
}
