/* Frames that were sampled in a program that was shrunk, as its source has them. */

#ifndef ISSUES_RETRACE_H
#define ISSUES_RETRACE_H

#include "issues/collection.h"

/* mapping is a ProGuard or R8 file; NULL: all stays. After issues_unite. Fails without memory, or
 * if the mapping cannot be read. */
MB_MUST_CHECK enum mb_status issues_retrace(struct issues_collection *all, const char *mapping,
                                            struct mb_error *err);

/* A frame without its place: "(C.java:12)", or ":12" of one that was given its name back. */
struct mb_text issues_function_of(struct mb_text frame);

#endif
