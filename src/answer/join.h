/* Inside src/answer: methods that stacks of Java name, without their types, beside those of the
 * map. */

#ifndef ANSWER_JOIN_H
#define ANSWER_JOIN_H

#include "answer/map.h"
#include "rules/mapping.h"

/* Add the trace's own methods to the map. One without types is the map's method of that name, if
 * one has it, and a join. originals may be NULL. */
MB_MUST_CHECK enum mb_status answer_join_own(struct answer_map *names,
                                             const struct rule_mapping *originals,
                                             struct mb_error *err);

/* Append "class.method" as it was before the program was shrunk; "class.method or another" where
 * that is not sure. */
void answer_join_put_frame(struct mb_buf *out, const struct abi_method *method,
                           const struct rule_mapping *originals);

#endif
