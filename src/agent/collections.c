#include "agent/collections.h"

#include "base/check.h"
#include "recorder/clock.h"
#include "recorder/pauses.h"

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
