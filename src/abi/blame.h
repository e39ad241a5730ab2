/* Which function is to blame for a stack: one rule for all that write and read issues. */

#ifndef ABI_BLAME_H
#define ABI_BLAME_H

#include "base/text.h"

/* Functions that only wait: Object.wait, epoll_wait and the like. */
bool abi_is_waiting(struct mb_text function);

/* True for functions of Java, Android or Kotlin, with one of the comma-separated prefixes, or that
 * JaCoCo adds to a class. */
bool abi_is_platform(struct mb_text function, struct mb_text prefixes);

/* A frame without its place: "(C.java:12)", "(Native Method)", or ":12" of one that was given its
 * name back. */
struct mb_text abi_function_of(struct mb_text frame);

struct abi_blame {
    struct mb_text name;     /* the innermost function of the program; else the innermost that does
                                more than wait; empty without frames */
    struct mb_text waits_in; /* what it called to wait: the innermost that does more than that;
                                empty if it waits itself, or does not */
    bool has_own;            /* name is the program's */
};

/* frames has a line each, innermost first, with or without places; the result borrows from them. */
struct abi_blame abi_find_blame(struct mb_text frames, struct mb_text prefixes);

#endif
