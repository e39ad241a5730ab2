/* What a command that starts JVMs gets so that they record: options of the JVM, and variables. */

#ifndef PROC_LAUNCH_H
#define PROC_LAUNCH_H

#include "base/error.h"
#include "jvms/process/words.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* All borrowed. */
struct proc_launch {
    char *const *command; /* its words, ended by NULL */
    const char *agent;    /* the library's path; NULL: nothing is to be recorded */
    struct proc_agent_options probes;
    union mb_words settings; /* of the recorder: "name=value" */
    const char *file;        /* the trace, or the pattern of its name */
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

/* ---- The program in our place: it gets our signals, we get its exit code ---- */

/* What is to be done once while the program runs; NULL: nothing. */
struct proc_child_alarm {
    uint64_t seconds; /* after its start; 0: never */
    void (*ring)(void *context, pid_t child);
    void *context;
};

/* Run argv (ended by NULL, found along PATH) to its end. Signals sent to this process meanwhile are
 * passed on; the terminal sends its own to both. *code is the exit code, or 128 plus the number of
 * the signal that ended the program; MB_IO with 127 there if the program does not exist, with 126
 * if it cannot be started. */
MB_MUST_CHECK enum mb_status proc_child_run(char **argv, const struct proc_child_alarm *alarm,
                                            int *code, struct mb_error *err);

#endif
