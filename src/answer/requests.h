/* How long calls and requests took, and what slow ones did more than usual. */

#ifndef ANSWER_REQUESTS_H
#define ANSWER_REQUESTS_H

#include "answer/facts.h"
#include "answer/finding.h"
#include "answer/words.h"

/* calls is 0 if the trace has none. */
struct answer_lengths answer_lengths_of(const struct answer_methods *methods,
                                        const struct answer_clock *clock, uint32_t id,
                                        enum answer_which which);

/* Is the word (abi/profile.h) of such calls? */
bool answer_length_is(uint64_t word, enum answer_which which);

/* Calls of about one length. */
struct answer_length {
    int64_t ns;
    uint64_t calls;
};

/* The shortest first, from *next on, which begins with 0 and stays with the method. False after
 * the longest. */
bool answer_next_length(const struct answer_methods *methods, const struct answer_clock *clock,
                        const struct answer_request *kind, size_t *next,
                        struct answer_length *length);

/* What all of the kind worked, in ns; and how many times as long that work lacked a processor. */
int64_t answer_worked(const struct answer_request *kind);
double answer_lacked(const struct answer_request *kind);

/* Those that were slow when they were kept are not where later ones took longer. */
static inline bool answer_has_slow(const struct answer_request *kind)
{
    return kind->excess_count > 0 && kind->slower_ns > 0;
}

#define ANSWER_BARS 40u

/* How many requests took how long, from the shortest to the longest on a log scale. */
struct answer_spread {
    uint64_t bars[ANSWER_BARS];
    int64_t least_ns; /* where the first bar begins */
};

struct answer_spread answer_spread_of(const struct answer_methods *methods,
                                      const struct answer_clock *clock,
                                      const struct answer_request *kind);

/* Where calls of threads are in the tree of slow requests, whose outermost calls these are. Zeroed
 * memory can be finished. */
struct answer_slow_index {
    struct answer_slow_place *places;
    size_t count;
};

/* False without memory. */
bool answer_slow_index_make(struct answer_slow_index *index,
                            const struct answer_requests *requests);
void answer_slow_index_finish(struct answer_slow_index *index);

/* numbers[node] = the node of slow requests with its chain of callers, + 1, or 0. */
void answer_slow_index_find(const struct answer_slow_index *index, const struct trace_node *nodes,
                            size_t count, uint32_t *numbers);

/* more[node of slow requests] = its own time, in units, less what usual requests, as many of its
 * kind, spent there; below 0 if that is more. False without memory. */
bool answer_slow_more(const struct answer_requests *requests, const struct answer_threads *threads,
                      int64_t *more);

/* In units, without the calls it made. */
int64_t answer_slow_own(const struct abi_profile_node *node);

/* The holder of the lock is known of so many that it is told of all. */
bool answer_tells_holder(const struct answer_excess *cause);

/* Values of a cause, a struct answer_excess *, for ANSWER_CAUSED of answer/findings.def. */
#define ANSWER_CAUSE(cause, is_told)                                                           \
    ANSWER_TEXT((is_told) ? "state" : NULL,                                                    \
                mb_text_of(answer_state_words((cause)->state, (cause)->id))),                  \
        ANSWER_METHOD((cause)->id > 0 ? "cause" : NULL, (cause)->id),                          \
        ANSWER_METHOD((cause)->below > 0 ? "caller" : NULL, (cause)->below),                   \
        ANSWER_FLAG((cause)->block != NULL ? "lock" : NULL, true), answer_holder_value(cause), \
        answer_held_value(cause)

/* Who held the lock, and the method in which it was taken; neither is told if a holder is known of
 * few. */
struct answer_value answer_holder_value(const struct answer_excess *cause);
struct answer_value answer_held_value(const struct answer_excess *cause);

#endif
