/* What people may say about the probes that the agent puts in, and the samples that it takes, as
 * text for the agent. */

#ifndef PROC_AGENT_OPTIONS_H
#define PROC_AGENT_OPTIONS_H

#include "base/buf.h"

enum proc_sample { PROC_SAMPLE_OFF, PROC_SAMPLE_ONLY, PROC_SAMPLE_BOTH };

/* Borrowed; NULL: not said. */
struct proc_agent_options {
    int sample; /* enum proc_sample */
    const char *focus;
    const char *blacklist;
    const char *only; /* globs of main classes and jars; of run */
};

/* Put "name=value", a comma before it unless it is the first. */
void proc_agent_put_option(struct mb_buf *out, const char *name, const char *value);

/* Put each that was said; the path of a file as proc_put_absolute does. */
void proc_agent_put_options(struct mb_buf *out, const struct proc_agent_options *options);

/* Put a path as it is here, whatever the working folder of the one that reads it. */
void proc_put_absolute(struct mb_buf *out, const char *path);

#endif
