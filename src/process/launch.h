/* What a command that starts JVMs gets so that they record: options of the JVM, and variables. */

#ifndef PROC_LAUNCH_H
#define PROC_LAUNCH_H

#include "process/agent_options.h"
#include "process/words.h"

#include <stdbool.h>

/* All borrowed. */
struct proc_launch {
    char *const *command; /* its words, ended by NULL */
    const char *agent;    /* the library's path; NULL: nothing is to be recorded */
    struct proc_agent_options probes;
    union mb_words settings; /* of the recorder: "name=value" */
    const char *file;        /* the trace, or the pattern of its name */
    bool is_alone;           /* JVMs that the program starts record nothing */
};

/* The command starts a JVM itself, which takes options after its first word. */
bool proc_launch_is_java(const struct proc_launch *launch);

/* What root is to give to the command, which may start JVMs of other users: the agent, or a copy
 * below /var/cache where others may not read it, which stays, since what the command leaves running
 * may start JVMs later. Takes over the path; the caller frees the one that is returned, which is
 * the same if there can be no copy. */
char *proc_launch_share(const struct proc_launch *launch, char *agent);

/* Why JVMs of the command could not load the agent, and so would not start: a clause; NULL: it
 * seems that they can. */
const char *proc_launch_obstacle(const struct proc_launch *launch);

/* Set the variables, and append the words to be started, ended by NULL: const char *, of the launch
 * or of options, which is zeroed before. False without memory. */
bool proc_launch_prepare(const struct proc_launch *launch, struct proc_words *options,
                         struct mb_buf *command);

#endif
