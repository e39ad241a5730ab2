/* The weaver of instrument for one class at a time, as a JVM loads it: the same rules, the same
 * probes. Knows no JVM. */

#ifndef AGENT_WEAVER_H
#define AGENT_WEAVER_H

#include "abi/methodmap.h"
#include "abi/names.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

#define AGENT_BRIDGE ABI_BRIDGE_CLASS
#define AGENT_BRIDGE_NAME "java.lang.$MethodBeat"

struct agent_weaver_options {
    const char *focus;           /* names of classes with wildcards, and ':' between; NULL: all */
    const char *blacklist;       /* path, or NULL */
    const char *base_method_map; /* path, or NULL */
};

/* The one of the process; again with other rules for classes that come from now on. Ids stay what
 * they are. Options are borrowed until it returns. */
MB_MUST_CHECK enum mb_status agent_weaver_open(const struct agent_weaver_options *options,
                                               struct mb_error *err);

/* A class file as the JVM shows it. */
struct agent_arrival {
    struct mb_text content;
    uint32_t loader;  /* for samp_ids_admit */
    bool is_nameless; /* the JVM was not told its name */
};

/* What became of it. */
struct agent_outcome {
    enum mb_status status;
    bool has_probes;
    bool has_own;    /* keeps those that instrument put in */
    bool is_crowded; /* has none, since classes of its kind are too many */
    bool lacks_ids;  /* all are given out: some or all of its methods have no probes */
    bool is_boots;   /* has none, since the boot loader brought it */
    size_t left_out; /* methods that should have probes and cannot */
};

/* Append the class with probes to out; nothing if it needs none. Names of methods that are new are
 * in the trace when it returns. Any thread; a status but MB_OK: out is as before, and the class
 * goes in as it came. */
struct agent_outcome agent_weave(const struct agent_arrival *arrival, struct mb_buf *out);

/* False for classes that get no probe, as their name alone tells. */
bool agent_weaver_wants(struct mb_text class_name);

/* False if no class of this name has got a probe since the last forget. */
bool agent_weaver_has_woven(struct mb_text class_name);
void agent_weaver_forget_woven(void);

#endif
