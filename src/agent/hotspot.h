/* What HotSpot tells debuggers of itself. */

#ifndef AGENT_HOTSPOT_H
#define AGENT_HOTSPOT_H

#include <jvmti.h>
#include <stdint.h>

/* Of the JVM's library; NULL: it has none of that name. */
void *agent_hotspot_symbol(const char *name);

/* The system's number of one of Java's threads, found without its help; 0 if it has ended, or if
 * this JVM does not tell. */
uint32_t agent_hotspot_thread_id(JNIEnv *env, jthread thread);

#endif
