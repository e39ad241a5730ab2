/* The agent: its file, and what people may say about its probes. */

#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include "cli/options.h"
#include "jvms/process/attachment.h"

/* The path of the agent, absolute, for free(): given, or that of the installation this program is
 * part of, for JVMs whose C library is musl or glibc. NULL, and reported, if it is absent or of
 * another version than this command. */
char *cli_find_agent(const char *given, bool is_musl);

/* CLI_DONE, or an error that is printed: a text with a comma, which the agent would take apart, or
 * a file where there must be none, or none where there must be one. */
int cli_check_agent_options(const char *command, const struct proc_agent_options *options);

/* Of one wait at a time: how far the agent is with what doing says, on standard error. On a
 * terminal a line that changes, else one every few seconds. */
void cli_wait_begin(const char *command, const char *doing);
void cli_wait_show(const struct proc_progress *progress);
void cli_wait_end(void);

#endif
