/* How long calls and requests took, and what slow ones did more than usual. */

#ifndef ANSWER_REQUESTS_H
#define ANSWER_REQUESTS_H

#include "answer/facts.h"

/* calls is 0 if the trace has none. */
struct answer_lengths answer_lengths_of(const struct answer_methods *methods,
                                        const struct answer_clock *clock, uint32_t id,
                                        enum answer_which which);

#endif
