/* Names that mean the same in all builds of a program, and what stacks are known by. */

#ifndef ISSUES_FLEET_NAMES_H
#define ISSUES_FLEET_NAMES_H

#include "base/text.h"

#include <stdint.h>

/* Append the function's name without the numbers that compilers give: Outer$1 becomes Outer$*,
 * lambda$run$3 lambda$run, and what follows $$Lambda is left out. */
void fleet_put_stable_name(struct mb_buf *out, struct mb_text function);

/* The key of a method: a hash of its stable name, put into scratch. Never 0. */
int64_t fleet_hash_method(struct mb_buf *scratch, struct mb_text name);

/* The key of a chain of callers. parent 0: it is the outermost. Never 0. */
int64_t fleet_hash_path(int64_t parent, int64_t method);

/* What a stack is known by. */
struct fleet_cause {
    int64_t key;         /* of whom abi/blame.h blames, with what it waits in; 0: no stack. Of a
                            stack without the program's own, the two innermost that do not wait */
    int64_t key4;        /* of the innermost four that do not only wait */
    struct mb_text name; /* of the function to blame */
};

/* frames and prefixes as for abi_find_blame. scratch failed: out of memory. */
struct fleet_cause fleet_find_cause(struct mb_text frames, struct mb_text prefixes,
                                    struct mb_buf *scratch);

#endif
