/* The weaver of instrument for one class at a time, as a JVM loads it: the same rules, the same
 * probes. Knows no JVM. */

#ifndef AGENT_WEAVER_H
#define AGENT_WEAVER_H

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

/* The class that the probes call, in internal form. It belongs to java.base, which each class
 * sees, whatever its loader and its module. */
#define AGENT_BRIDGE "java/lang/$MethodBeat"

struct agent_weaver_options {
    struct mb_text focus;        /* names of classes with wildcards, and ':' between; empty: all */
    const char *blacklist;       /* path, or NULL */
    const char *base_method_map; /* likewise */
};

/* The one of the process; again with other rules for classes that come from now on. Ids stay what
 * they are. Options are borrowed until it returns. */
MB_MUST_CHECK enum mb_status agent_weaver_open(const struct agent_weaver_options *options,
                                               struct mb_error *err);

/* Append the class with probes to out; nothing if it needs none. *left_out: methods that should
 * have probes and cannot. Names of methods that are new are in the trace when it returns. Any
 * thread; MB_BAD_CLASS and the like: out is as before, and the class goes in as it came. */
MB_MUST_CHECK enum mb_status agent_weave(struct mb_text content, struct mb_buf *out,
                                         size_t *left_out, struct mb_error *err);

#endif
