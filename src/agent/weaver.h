/* The weaver of instrument for one class at a time, as a JVM loads it: the same rules, the same
 * probes. Knows no JVM. */

#ifndef AGENT_WEAVER_H
#define AGENT_WEAVER_H

#include "abi/methodmap.h"
#include "abi/names.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"
#include "classfile/class.h"

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

/* ---- Classes that instrument wove before they were loaded ---- */

/* Their probes call methodbeat/MethodBeat, which a named module, a bundle or a filtering loader may
 * hide from them; with the class turned they call the bridge, which every class sees. Their code
 * says the ids and names of methods. */

/* Take the ids that the probes of a class have, and append to lines, as a method map has them, the
 * names that are new. False if a method of another name has one of the ids, as where two parts of a
 * program were instrumented apart, or without memory. Any thread. */
bool agent_woven_take(const struct cf_class *cls, struct mb_buf *lines);

/* Show each method of the class that has probes, with the id that they have. */
void agent_woven_visit(const struct cf_class *cls,
                       void (*visit)(void *context, const struct abi_method *method),
                       void *context);

/* Append the class with the probes calling the bridge; all else that names MethodBeat stays.
 * MB_TOO_LARGE if its constant pool is full. */
MB_MUST_CHECK enum mb_status agent_woven_turn(const struct cf_class *cls, struct mb_buf *out,
                                              struct mb_error *err);

/* Take the calls of the probes out of bytes, a copy of the class's own: the size of the code stays,
 * and what was pushed for a call is popped. */
void agent_woven_clear(const struct cf_class *cls, uint8_t *bytes);

#endif
