/* The agent: its file, and what people may say about its probes. */

#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include "process/agent_options.h"

/* The path of the agent, absolute, for free(): given, or that of the installation this program is
 * part of. NULL, and reported, if it is absent or of another version than this command. */
char *cli_find_agent(const char *given);

/* CLI_DONE, or an error that is printed: a text with a comma, which the agent would take apart, or
 * a file where there must be none, or none where there must be one. */
int cli_check_agent_options(const char *command, const struct proc_agent_options *options);

#endif
