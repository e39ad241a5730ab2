/* Stacks as their writers put them, as lines of frames: "a.b.C.m(C.java:7)", innermost first. */

#ifndef ISSUES_STACKS_H
#define ISSUES_STACKS_H

#include "base/text.h"

#include <stdint.h>

#define ISSUES_MOST_TEXT ((size_t)65535) /* bytes, of mb_intern */

/* What the last of the frames is then. */
#define ISSUES_CUT_STACK "(more, cut off at 64 KiB)"

/* Frames that are too long for a text end with a line that says it. */
void issues_cut_stack(struct mb_buf *frames);

/* Append the frames of a threadStack: lines of StackTraceElement, or Matrix's "at
 * CLASS:METHOD(LINE)", which its log begins with "|*". */
void issues_put_stack(struct mb_buf *out, struct mb_text stack);

/* Append those of the main thread in the text of all threads that the system writes of a process
 * that does not respond: "main", or named after the process, whose number its thread has too.
 * Native frames are "PATH (FUNCTION)". */
void issues_put_main_stack(struct mb_buf *out, struct mb_text threads, struct mb_text process,
                           int64_t pid);

#endif
