/* Whether something that other programs reported was in the time of a trace, and when. */

#ifndef ANSWER_PLACE_H
#define ANSWER_PLACE_H

#include "answer/facts.h"

/* Times in ns of the trace. */
struct answer_place {
    uint64_t start_ns;
    uint64_t duration_ns;
};

/* False if it was over before the trace began, began after end_ns, or is of another program. Times
 * of two boots of a machine are told apart by those since 1970, programs by their maps. What had
 * begun before starts at 0. */
bool answer_find_place(const struct answer_process *process, const struct answer_when *when,
                       uint64_t end_ns, struct answer_place *place);

#endif
