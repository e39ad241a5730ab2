/* What a command that starts JVMs gets so that they record: options of the JVM, and variables. */

#ifndef PROC_LAUNCH_H
#define PROC_LAUNCH_H

#include "process/agent_options.h"
#include "process/words.h"

#include <stdbool.h>

/* All borrowed. */
struct proc_launch {
    char *const *command; /* its words, ended by NULL */
    const char *agent;    /* the library's path */
    struct proc_agent_options probes;
    union mb_words settings; /* of the recorder: "name=value" */
    const char *file;        /* the trace, or the pattern of its name */
    bool is_alone;           /* JVMs that the program starts record nothing */
};

/* The command starts a JVM itself, which takes options behind its first word. */
bool proc_launch_is_java(const struct proc_launch *launch);

/* Set the variables, and append the words to be started, ended by NULL: const char *, of the launch
 * or of options, which is zeroed before. False without memory. */
bool proc_launch_prepare(const struct proc_launch *launch, struct proc_words *options,
                         struct mb_buf *command);

#endif
