/* Names that mean the same in all builds of a program, and what stacks are known by. */

#ifndef FLEET_NAMES_H
#define FLEET_NAMES_H

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
    int64_t key;         /* of the two innermost functions that do not only wait; 0: no stack */
    int64_t key4;        /* of the four */
    struct mb_text name; /* the program's own innermost function; else the innermost */
};

/* frames has a line each, innermost first, with or without places. The cause borrows from them;
 * scratch failed: out of memory. */
struct fleet_cause fleet_find_cause(struct mb_text frames, struct mb_buf *scratch);

#endif
