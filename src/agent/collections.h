/* Collections of garbage, told to the recorder as pauses. */

#ifndef AGENT_COLLECTIONS_H
#define AGENT_COLLECTIONS_H

#include <jvmti.h>

/* The callbacks are set, which have these two. Without the events such pauses have no cause, and
 * all else is as it was. */
void agent_collections_watch(jvmtiEnv *jvmti);
void JNICALL agent_collection_begins(jvmtiEnv *jvmti);
void JNICALL agent_collection_ends(jvmtiEnv *jvmti);

#endif
