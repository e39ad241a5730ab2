/* Names for the method ids in what Matrix's TraceCanary wrote: its log, and the issues it reports.
 *
 *   |*      ..6957 1 17                an item of a logged stack: dots, id, count, ms
 *   |*          6957[17]               the same, of early versions
 *   |*      StackKey: 6926|            a key; also "stackKey:"
 *   1,6957,1,17                        an item of an issue: depth, id, count, ms; a whole line
 *   stack:[0,1048574,1,98, 1,6957,1,17]
 *   "stack":"0,1048574,1,98\n1,6957,1,17\n","stackKey":"6957|"
 *
 * The first three may have any text of a logger in front. The last may itself be inside a JSON
 * string, with its quotes escaped. */

#ifndef ISSUES_SYMBOLIZE_H
#define ISSUES_SYMBOLIZE_H

#include "answer/facts.h"

/* Append the line, with names where it has ids that names knows. Everything else is copied byte for
 * byte, its end included. Out of memory shows in out. */
void issues_symbolize(struct mb_buf *out, struct mb_text line, const struct answer_names *names);

#endif
