/* How a JVM of HotSpot's that runs is asked to load a library. */

#ifndef PROC_JVM_H
#define PROC_JVM_H

#include "process/foreign.h"

struct proc_jvm_request {
    const char *library; /* an agent, as the JVM sees files */
    const char *options;
    unsigned most_ms;
    const char *advice; /* for classes that take longer, as soon as their pace tells; or NULL */
    proc_wait_fn *wait; /* as in foreign.h */
};

enum proc_jvm_outcome {
    PROC_JVM_NOT_ASKED,
    PROC_JVM_PENDING, /* asked, perhaps, and not answered yet */
    PROC_JVM_GOING,   /* not answered yet; it is changing classes */
    PROC_JVM_ANSWERED,
};

/* Have it load the agent, and wait until that has done what options say. MB_IO with the JVM's own
 * words, or those for what the agent returned, if it refuses. */
MB_MUST_CHECK enum mb_status proc_jvm_load(const struct proc_foreign *jvm,
                                           const struct proc_jvm_request *request,
                                           enum proc_jvm_outcome *outcome, struct mb_error *err);

/* Ask and go: the JVM does it when it comes to it. False if it cannot be asked. */
bool proc_jvm_post(const struct proc_foreign *jvm, const struct proc_jvm_request *request);

#endif
