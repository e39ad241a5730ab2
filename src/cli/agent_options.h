/* What people may say about the probes that the agent puts in, as text for the agent. */

#ifndef CLI_AGENT_OPTIONS_H
#define CLI_AGENT_OPTIONS_H

#include "base/buf.h"

/* Borrowed; NULL: not said. */
struct cli_agent_options {
    const char *focus;
    const char *blacklist;
    const char *only; /* globs of main classes and jars; of run */
};

/* CLI_DONE, or an error that is printed: a text with a comma, which the agent would take apart, or
 * a file where there must be none, or none where there must be one. */
int cli_agent_check_options(const char *command, const struct cli_agent_options *options);

/* Put "name=value", a comma before it unless it is the first. */
void cli_agent_put_option(struct mb_buf *out, const char *name, const char *value);

/* Put each that was said; the path of a file as cli_put_absolute does. */
void cli_agent_put_options(struct mb_buf *out, const struct cli_agent_options *options);

/* Put a path as it is here, whatever the working folder of the one that reads it. */
void cli_put_absolute(struct mb_buf *out, const char *path);

#endif
