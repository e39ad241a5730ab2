/* What an attach asks for takes long: a thread of the agent does it, and the JVM's own thread for
 * those who attach goes on to the next request. One task at a time, in a JVM that runs. */

#ifndef AGENT_TASK_H
#define AGENT_TASK_H

#include "abi/attach.h"

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

/* As the agent's thread names itself: not one of the program's. */
#define AGENT_TASK_THREAD "methodbeat attach"

/* text is borrowed. */
typedef enum abi_attach_result agent_task_fn(JNIEnv *env, const char *text);

/* Have it done with a copy of text. A task that runs is told to end early; one that waits for it is
 * dropped. Returns ABI_ATTACH_GOING, or ABI_ATTACH_FAILED without memory or a thread. */
enum abi_attach_result agent_task_begin(JavaVM *vm, agent_task_fn *run, const char *text);

/* The result of the last task; ABI_ATTACH_GOING and a number of classes while it runs. */
jint agent_task_ask(bool wants_all);

/* ---- For the task ---- */

/* True once another task waits: what is half done is to be taken back. */
bool agent_task_is_stale(void);

void agent_task_tell(size_t done, size_t all);

#endif
