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

/* Where it has the code that it makes; 0 and 0 if this JVM does not tell. */
void agent_hotspot_find_code(uint64_t *begin, uint64_t *end);

/* What is compiled from now on says of more places where they are: inlined methods have frames. The
 * event CompiledMethodLoad would do that too, and takes 4 to 9 % of the CPU time. */
void agent_hotspot_keep_places(void);

#endif
