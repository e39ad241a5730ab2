/* Threads by pool: those that have one name but for the number at its end. */

#ifndef ANSWER_POOLS_H
#define ANSWER_POOLS_H

#include "answer/facts.h"
#include "answer/finding.h"
#include "base/vec.h"

/* Threads whose names differ in the number at their end only; the main thread is alone. */
struct answer_pool {
    struct mb_text stem;               /* the name up to that number */
    const struct answer_thread *first; /* of its threads */
    size_t row_count;                  /* struct answer_thread */
    uint64_t thread_count;             /* that those stand for */
    int64_t busy_ns;                   /* the sum of its threads, without idle loops */
    int64_t worked_ns;                 /* of that, at least; 0 if unknown */
    int64_t ready_ns;                  /* as answer_time */
    int64_t waited_ns;
    int64_t idle_ns;   /* own time of idle loops: beside busy_ns */
    int64_t placed_ns; /* of that, what is known to be of single calls */
    bool lacks_ready;  /* of some thread waiting is known, but not apart from it */
    uint64_t start_ns; /* of the first call of any, if there are calls */
    uint64_t end_ns;   /* of the last word of any */
    uint64_t calls;
    uint64_t samples;
    int64_t met_ns;  /* as answer_seen */
    int64_t rank_ns; /* the greatest has the answer */
};

MB_VEC_TYPE(answer_pools, struct answer_pool);

/* From the first call of any of its threads to the last word; open calls last until the end of all.
 */
int64_t answer_pool_span(const struct answer_pool *pool);

/* Time in calls that was not spent waiting, as far as that is known: at most so much was work. */
static inline int64_t answer_most_worked_ns(const struct answer_pool *pool)
{
    return trace_subtract(trace_subtract(pool->busy_ns, pool->waited_ns), pool->ready_ns);
}

/* True if waited_ns is real waiting rather than CPU contention: run queue times are known, or most
 * waits are attributed to calls. */
static inline bool answer_knows_waiting(const struct answer_pool *pool)
{
    return !pool->lacks_ready || pool->placed_ns > pool->waited_ns / 2;
}

/* Most of the time in calls was spent waiting. */
static inline bool answer_pool_waits(const struct answer_pool *pool)
{
    return pool->waited_ns > pool->busy_ns / 2 && answer_knows_waiting(pool);
}

/* Rows, most work first; of a run in which hardly any was done, most time in
 * calls, of which those of the main thread count little. Without memory the buffer fails. */
void answer_pools_collect(union answer_pools *pools, const struct answer_clock *clock,
                          const struct answer_threads *threads);
bool answer_pool_has(const struct answer_pool *pool, const struct answer_thread *thread);

/* "http-exec-*", or the name of the only thread; as a value it is called "pool". */
struct answer_value answer_pool_value(const struct answer_pool *pool);
void answer_put_pool(struct mb_buf *out, const struct answer_pool *pool);

/* " (4 threads)", " (virtual, up to 1000 at a time)", or nothing for one plain thread. */
void answer_put_members(struct mb_buf *out, const struct answer_thread *first, uint64_t count);

#endif
