/* Classes that instrument wove before they were loaded. Their probes call methodbeat/MethodBeat,
 * which a named module, a bundle or a filtering loader may hide from them; with the class turned
 * they call the bridge, which every class sees. Their code says the ids and names of methods. */

#ifndef AGENT_WOVEN_H
#define AGENT_WOVEN_H

#include "abi/methodmap.h"
#include "base/buf.h"
#include "classfile/class.h"

#include <stdbool.h>

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
