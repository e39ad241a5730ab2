/* How a JVM of HotSpot's that runs is asked to load a library. */

#ifndef CLI_JVM_H
#define CLI_JVM_H

#include "cli/foreign.h"

struct cli_jvm_request {
    const char *library; /* an agent, as the JVM sees files */
    const char *options;
    unsigned most_ms;
    void (*wait)(int64_t ns); /* as in foreign.h */
};

enum cli_jvm_outcome {
    CLI_JVM_NOT_ASKED,
    CLI_JVM_PENDING, /* asked, perhaps, and not answered yet */
    CLI_JVM_ANSWERED,
};

/* Have it load the agent, and wait for the answer. MB_IO with the JVM's own words, or those for
 * what the agent returned, if it refuses. */
MB_MUST_CHECK enum mb_status cli_jvm_load(const struct cli_foreign *jvm,
                                          const struct cli_jvm_request *request,
                                          enum cli_jvm_outcome *outcome, struct mb_error *err);

/* Ask and go: the JVM does it when it comes to it. False if it cannot be asked. */
bool cli_jvm_post(const struct cli_foreign *jvm, const struct cli_jvm_request *request);

#endif
