/* The profile of a whole run: sections of the trace file that the recorder's keeper thread fills
 * while it drains the rings, whether or not the rings have lapped since. Times are in the unit of
 * the header, all 64 bits, from the start of the recorder. */

#ifndef ABI_PROFILE_H
#define ABI_PROFILE_H

#include "abi/tracefile.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* As the parent of a node: it is an outermost call of its thread. */
#define ABI_PROFILE_NO_NODE UINT32_MAX

#define ABI_PROFILE_DEPTH (1u << 18) /* open calls of a thread; more close those of a recursion */

enum abi_profile_thread_flag {
    ABI_PROFILE_MAIN = 1,    /* the main thread */
    ABI_PROFILE_VIRTUAL = 2, /* Java's virtual threads, all those of the name */
    ABI_PROFILE_ENDED = 4,
    ABI_PROFILE_BOUNDS = 8, /* worked_least and its like are kept, in nodes too */
    ABI_PROFILE_READY = 16, /* and readiness is not part of waiting there */
    ABI_PROFILE_PARTS = 32, /* they are estimates, not lower bounds: the row's are as much of its
                               thread's as fits inside, and what is neither is waiting */
};

/* One thread, or several of one name that share a tree (thread_count). Append only; a row goes on
 * changing while its thread runs. */
struct abi_profile_thread {
    char name[ABI_TRACE_NAME_SIZE];
    uint32_t thread_id;
    _Atomic(uint32_t) flags;        /* enum abi_profile_thread_flag */
    uint32_t ring;                  /* index of its ring + 1; 0: none any more */
    uint32_t claim;                 /* of the ring */
    _Atomic(uint64_t) position;     /* the ring's words below are in the nodes, or lost */
    _Atomic(uint64_t) first_time;   /* of its first record */
    _Atomic(uint64_t) last_time;    /* of the last record in the nodes */
    _Atomic(uint64_t) words;        /* in the nodes */
    _Atomic(uint64_t) lost_words;   /* overwritten before they were drained */
    _Atomic(uint64_t) lost_entries; /* exits whose entry is missing */
    _Atomic(uint64_t) lost_exits;   /* entries whose exit is missing */
    _Atomic(uint64_t) inferred;     /* calls whose end is inferred: see the node's */
    _Atomic(uint64_t) thread_count; /* how many threads the row stands for; virtual: at a time */
    _Atomic(uint64_t) cpu_ns;       /* CPU time from first_time to cpu_time */
    _Atomic(uint64_t) cpu_time;     /* when that was read; 0 if unknown */
    _Atomic(uint64_t) outer_time;   /* inside finished outermost calls */
    /* In units, inside outermost calls; at least, unless ABI_PROFILE_PARTS: */
    _Atomic(uint64_t) worked_least; /* had a processor */
    _Atomic(uint64_t) ready_least;  /* had none, and could have run */
    _Atomic(uint64_t) waited_least; /* could not run; 0 with ABI_PROFILE_PARTS */
    _Atomic(uint64_t) deep_calls; /* ended, by their exits, after ABI_PROFILE_DEPTH had cut them */
    /* Of words, at least: made at the time that they have. 0: none, or not counted. */
    _Atomic(uint64_t) exact_words;
    uint64_t rest_[5];
};

/* All calls of one method with the same chain of callers, on one thread's row. Append only: a
 * node's parent has a lower index. A call within a call of the same method, however far, counts in
 * the node of that (ABI_PROFILE_FOLDED): no chain has a method twice, nor has a thread two nodes of
 * a method open at a time, so that the totals of a method's nodes add up. The call of a chain that
 * runs at the moment is not in calls and total yet: open_since tells of it, so that a reader can
 * add it. */
struct abi_profile_node {
    uint32_t parent; /* index of the caller's node, or ABI_PROFILE_NO_NODE */
    uint32_t id;     /* method id, or ABI_MESSAGE_ID */
    uint32_t thread; /* index of the row in PROFILE_THREADS */
    uint32_t flags;  /* enum abi_profile_node_flag */
    _Atomic(uint64_t) calls;
    _Atomic(uint64_t) total; /* time inside them, counted once where they are folded */
    /* Finished calls inside, less folded calls: own = total - child_total, modulo 2^64. */
    _Atomic(uint64_t) child_total;
    _Atomic(uint64_t) longest;
    _Atomic(uint64_t) open_since;   /* time of entry + 1 of the call that runs; 0 if none */
    _Atomic(uint64_t) worked_since; /* of its own time without a word: the recorder's alone */
    /* Of calls and total: no record tells when these calls ended. An exit around them, or the end
     * of their thread, shows that they are over: by then at the latest, maybe right after their
     * entry. */
    _Atomic(uint64_t) inferred_calls;
    _Atomic(uint64_t) inferred_total;
    /* Where the method fell silent: time inside the caller's calls, of the caller's node, until
     * then. 0 elsewhere. */
    _Atomic(uint64_t) caller_time;
    /* Of its own time, at least, as the thread's: without a processor, and unable to run. */
    _Atomic(uint64_t) ready_least;
    _Atomic(uint64_t) waited_least;
};

enum abi_profile_node_flag {
    /* Stands for calls within its calls too. What those make is below it; what is between counts
     * their time as well, so that the totals of a node's children may add up to more than its
     * own. */
    ABI_PROFILE_FOLDED = 1,
    ABI_PROFILE_REQUEST = 2, /* its calls are requests (src/recorder/profile/README.md) */
    ABI_PROFILE_BODY = 4,    /* of a thread: a call that went on while those below it ended */
};

/* How long the calls of a method took: a word for each bucket with calls, in any order,
 *
 *   63            44   43   42          32   31   30           0
 *  +----------------+------+--------------+------+---------------+
 *  |   method id    |  r   |    bucket    |  p   | calls, at most|
 *  +----------------+------+--------------+------+---------------+
 *
 * r is 1 for those that were requests when they ended. p is 1 for what they took less the time for
 * which their thread was ready without a processor: once more, of those of which that is known. A
 * bucket is one number of units below 32;
 * above, a 32nd of the next power of two, so that its middle is right within 1.6 %. */
#define ABI_LENGTH_REQUEST (1u << 11)
#define ABI_LENGTH_BUCKETS ABI_LENGTH_REQUEST
#define ABI_LENGTH_ID_SHIFT 44
#define ABI_LENGTH_CALLS UINT32_C(0x7fffffff)
#define ABI_LENGTH_ON_PROCESSOR (ABI_LENGTH_CALLS + 1)
#define ABI_LENGTH_PARTS 32u /* of a power of two */

/* Of such a word. */
static inline uint32_t abi_length_id(uint64_t word)
{
    return (uint32_t)(word >> ABI_LENGTH_ID_SHIFT);
}

static inline uint32_t abi_length_bucket_of(uint64_t word)
{
    return (uint32_t)(word >> 32) % ABI_LENGTH_BUCKETS;
}

static inline uint32_t abi_length_calls(uint64_t word)
{
    return (uint32_t)word & ABI_LENGTH_CALLS;
}

static inline uint32_t abi_length_bucket(uint64_t units)
{
    uint32_t shift = 0;

    for (uint32_t step = 32; step > 0; step /= 2) {
        shift += units >> shift >> step >= ABI_LENGTH_PARTS ? step : 0;
    }
    return shift * ABI_LENGTH_PARTS + (uint32_t)(units >> shift);
}

/* The least length of the bucket, in units. */
static inline uint64_t abi_length_first(uint32_t bucket)
{
    uint32_t shift = bucket < 2 * ABI_LENGTH_PARTS ? 0 : bucket / ABI_LENGTH_PARTS - 1;

    return (uint64_t)(bucket - shift * ABI_LENGTH_PARTS) << shift;
}

#define ABI_SLOW_METHODS 6u

enum abi_slow_flag {
    ABI_SLOW_USED = 1,  /* worked is known, */
    ABI_SLOW_READY = 2, /* and ready */
    ABI_SLOW_IO = 4, /* where it was looked at while it did not run, it was in a system call other
                      * than those that wait for threads or for time */
};

/* A request that took longer than most of its kind. The row changes when a slower one takes its
 * place: length is 0 meanwhile. */
struct abi_profile_slow {
    _Atomic(uint64_t) length;
    uint64_t start;
    uint32_t id;        /* of its kind */
    uint32_t thread_id; /* of the system */
    /* The methods with the most own time in it, most first, and that; 0: no more. */
    uint32_t ids[ABI_SLOW_METHODS];
    uint64_t own[ABI_SLOW_METHODS];
    /* What its thread used meanwhile, as far as that is known: in sum at most its length. */
    uint64_t worked; /* at least */
    uint64_t ready;  /* without a processor, though it could have run */
    uint64_t flags;  /* enum abi_slow_flag */
};

enum abi_pause_kind {
    ABI_PAUSE_COLLECTION = 1, /* of garbage, with all threads stopped */
    ABI_PAUSE_THROTTLED = 2,  /* by the limit of CPU time of the container: of all of it until its
                               * end, as long as the keeper was not there to see it */
    ABI_PAUSE_STOPPED = 3,    /* the whole process */
};

/* A pause of all threads that no method explains, of a millisecond or more. */
struct abi_profile_pause {
    uint64_t start;
    uint64_t length;
    uint64_t kind; /* enum abi_pause_kind */
};

enum abi_profile_mute_reason {
    ABI_MUTED_BY_THROTTLE = 1, /* many calls, each too short for what its probes cost */
    ABI_MUTED_BEFORE = 2,      /* in a recording of the process before this one: all else is 0 */
    ABI_MUTED_BY_BUDGET = 3,   /* of older recorders: the same, while all were over budget */
};

/* A method whose probes record nothing from a time on: its own time is its callers' since. Its
 * calls that were open then end with the next record of their thread. */
struct abi_profile_mute {
    uint32_t id;
    uint32_t reason; /* enum abi_profile_mute_reason */
    uint64_t time;   /* from when on */
    uint64_t calls;  /* until then */
    uint64_t total;  /* of these, in units */
};

_Static_assert(sizeof(struct abi_profile_thread) == 256, "whole lines");
_Static_assert(sizeof(struct abi_profile_node) == 104, "no padding that differs between ABIs");
_Static_assert(sizeof(struct abi_profile_mute) == 32, "half a line");
_Static_assert(sizeof(struct abi_profile_pause) == 24, "no padding that differs between ABIs");
_Static_assert(sizeof(struct abi_profile_slow) == 120, "no padding that differs between ABIs");

#endif
