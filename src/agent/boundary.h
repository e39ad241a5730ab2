/* Which methods of a class code without probes may call, as far as the class itself tells: when it
 * is loaded its supertypes are not at hand. A method that is named as one of the JDK's types counts
 * as overriding it. */

#ifndef AGENT_BOUNDARY_H
#define AGENT_BOUNDARY_H

#include "base/arena.h"
#include "classfile/class.h"

#include <stdbool.h>

/* One flag a method, in the arena; NULL without memory. */
const bool *agent_boundary_of(const struct cf_class *cls, struct mb_arena *arena);

#endif
