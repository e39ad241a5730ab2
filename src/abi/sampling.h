/* Stacks that were sampled: sections of the trace file that one thread of the recorder's process
 * fills, the sampler. A trace may have them beside probes' records, or instead of any.
 *
 * Two views of the same samples, so that neither a lapped ring nor a killed process loses both:
 * STACKS is a tree of callers per thread, whose nodes count the time of all samples of the run;
 * SAMPLES is a ring of the latest ones, each whole by itself. Frames are methods by id, the ids
 * that probes have: a method without one gets an id of its own, and NAMES (abi/section.h) tells the
 * names of both.
 *
 * Order of writing: a name before the node that has its id, a node before what points to it, a
 * thread before its nodes. Times are in units of the section's ns_per_unit, from time 0 of the
 * header. */

#ifndef ABI_SAMPLING_H
#define ABI_SAMPLING_H

#include "abi/tracefile.h"
#include "base/buf.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define ABI_STACK_NO_NODE \
    UINT32_MAX                   /* as the parent of a node: the outermost frame of its thread */
#define ABI_STACK_NO_BCI 0xFFFFu /* native, beyond what 16 bits hold, or told by line only */
#define ABI_STACK_NO_LINE 0u

/* What a thread did, as far as a sample tells. */
enum abi_sample_state {
    ABI_SAMPLE_RUNNING = 1,
    ABI_SAMPLE_READY,     /* able to run, and without a processor */
    ABI_SAMPLE_NATIVE,    /* in native code that took no CPU: it waits there for something */
    ABI_SAMPLE_MONITOR,   /* to enter a monitor that another thread has */
    ABI_SAMPLE_WAITING,   /* in Object.wait */
    ABI_SAMPLE_PARKED,    /* in LockSupport.park */
    ABI_SAMPLE_SLEEPING,  /* in Thread.sleep */
    ABI_SAMPLE_SUSPENDED, /* by the JVM or a debugger */
    ABI_SAMPLE_STATE_COUNT
};

enum abi_stack_flag {
    ABI_STACK_CUT = 1,  /* frames between this outermost one and the thread's first are missing */
    ABI_STACK_FULL = 2, /* of a sample: inner frames are missing, the tree had no room for them */
    /* Of a sample: the stack could not be walked where the thread was, but at its next safepoint
     * poll; the time is that of the poll. */
    ABI_STACK_POLLED = 4
};

/* A sampled thread, or several of one name one after the other: those whose records are in one row
 * of the profile, or those without records. Append only. */
struct abi_sample_thread {
    char name[ABI_TRACE_NAME_SIZE];
    uint32_t thread_id; /* of the system; of the last one */
    uint32_t ring;      /* index of its ring of records + 1; 0 if none */
    uint32_t is_main;
    _Atomic(uint32_t) has_ended;
    _Atomic(uint64_t) first_time; /* of its first sample */
    _Atomic(uint64_t) last_time;  /* until which the last one holds */
    _Atomic(uint64_t) samples;
    _Atomic(uint64_t) failed; /* stacks that could not be walked */
    uint32_t profile_row;     /* index in PROFILE_THREADS + 1; 0: it has recorded nothing */
    _Atomic(uint32_t) knows_ready;
    _Atomic(uint64_t) ready_ns; /* in the run queue, if that is known */
};

/* A frame with all frames around it. Append only; a parent has a lower index. Time is counted in
 * the node of the innermost frame, for as long as the sample stands for: half of the time to the
 * samples before and after it, and all of it in which the thread did not run. Of a gap above 100 ms
 * and three intervals, half an interval. So is CPU time, but none goes beside a sample that ran to
 * one that did not. */
struct abi_stack_node {
    uint32_t parent; /* or ABI_STACK_NO_NODE */
    uint32_t id;     /* of the method */
    uint32_t thread; /* index in SAMPLE_THREADS */
    uint16_t bci;    /* of the call in the parent's code that led here; or ABI_STACK_NO_BCI */
    uint16_t flags;  /* enum abi_stack_flag */
    uint32_t line;   /* of that call in the parent's source file, or ABI_STACK_NO_LINE */
    uint32_t pad_;
    _Atomic(uint64_t) samples;
    _Atomic(uint64_t) running; /* units, running or ready */
    _Atomic(uint64_t) waiting; /* units, in any other state */
    _Atomic(uint64_t) cpu_ns;  /* CPU time that the thread took meanwhile */
};

/* One stack, from the moment it was seen until it was last known to be unchanged. A ring: the
 * record of position p is in slot p % capacity, and `written` counts positions. */
struct abi_sample {
    uint64_t time;
    _Atomic(uint64_t) until; /* the thread took no CPU since `time`, so it had this stack still */
    uint64_t cpu_ns;         /* CPU time of the thread so far; 0 if unknown */
    uint32_t node;           /* innermost frame; its code position is below */
    uint32_t interval_us;    /* at which samples of this thread were taken then */
    uint32_t line;           /* in the innermost frame, or ABI_STACK_NO_LINE */
    uint16_t bci;            /* in the innermost frame, or ABI_STACK_NO_BCI */
    uint8_t state;           /* enum abi_sample_state */
    uint8_t flags;           /* enum abi_stack_flag */
};

enum abi_block_kind {
    ABI_BLOCK_MONITOR = 1, /* of synchronized: begin and end are those of the JVM's events */
    ABI_BLOCK_PARKED,      /* by LockSupport.park(blocker): within the interval of sampling */
    ABI_BLOCK_WAITING,     /* in Object.wait: of older recorders */
    ABI_BLOCK_LOCK, /* parked for a lock that tells so: begin and end are those of the park */
};

enum abi_asked {
    ABI_ASKED = 1,
    ABI_ASKED_TAKER, /* the owner's frame is the one that took the lock, for certain */
};

#define ABI_LOCK_NAME_SIZE 256u

/* A thread that could not go on for a lock. A ring, as SAMPLES. */
struct abi_block {
    uint64_t begin;
    _Atomic(uint64_t) end; /* 0: not yet */
    uint32_t thread;       /* index in SAMPLE_THREADS */
    uint32_t node;         /* its innermost frame, or ABI_STACK_NO_NODE */
    uint32_t lock;         /* index in LOCKS + 1; 0 if unknown */
    uint32_t owner;        /* index in SAMPLE_THREADS + 1; 0 if unknown, or none */
    uint32_t owner_node;   /* its innermost frame that takes a lock when asked, or the innermost of
                            * all, or ABI_STACK_NO_NODE */
    uint16_t kind;         /* enum abi_block_kind */
    uint16_t was_asked;    /* who the owner is: enum abi_asked, or 0; */
    uint64_t asked;        /* then; 0 of older recorders */
};

/* The class of a lock. Append only. */
struct abi_lock {
    char class_name[ABI_LOCK_NAME_SIZE]; /* internal form, terminated */
};

enum abi_sampling_engine {
    ABI_ENGINE_AGCT = 1, /* AsyncGetCallTrace, anywhere in the code */
    ABI_ENGINE_JVMTI,    /* GetStackTrace: at the next safepoint poll of a running thread */
    ABI_ENGINE_JAVA,     /* Thread.getStackTrace */
};

#define ABI_AGCT_CODES 12u /* 0 and -1 to -11, as AsyncGetCallTrace returns them */

/* The one record of SAMPLING: what the sampler was asked for, and what it came to. */
struct abi_sampling {
    uint32_t engine;                        /* enum abi_sampling_engine */
    uint32_t depth;                         /* frames at most */
    uint32_t main_interval_us;              /* as asked for; 0: off */
    uint32_t threads_interval_us;           /* of other threads; 0: off */
    _Atomic(uint32_t) main_interval_now_us; /* wider where the budget asks for it */
    _Atomic(uint32_t) threads_interval_now_us;
    _Atomic(uint32_t) widest_main_us;
    _Atomic(uint32_t) widest_threads_us;
    _Atomic(uint64_t) taken;     /* stacks that were walked */
    _Atomic(uint64_t) idle;      /* ticks at which a thread was left alone, as it had not run */
    _Atomic(uint64_t) late;      /* ticks at which a thread's last signal was still on its way */
    _Atomic(uint64_t) own_probe; /* taken inside a probe or the recorder */
    _Atomic(uint64_t) target_ns; /* time that samples took from sampled threads */
    _Atomic(uint64_t) own_ns;    /* CPU time of the sampler's threads */
    _Atomic(uint64_t) failed[ABI_AGCT_CODES]; /* by the code that the engine gave; 0: no frames;
                                                 -11: all others */
    _Atomic(uint64_t) polled;   /* of those taken: at the next safepoint poll (ABI_STACK_POLLED) */
    _Atomic(uint64_t) left_out; /* threads without samples: no room, or not known */
    uint64_t fills_gaps; /* 1: taken since a method was muted, to tell what muted ones took */
    /* Classes that stacks do not name, since those of many loaders of their package came before. */
    _Atomic(uint64_t) crowded;
};

_Static_assert(sizeof(struct abi_sample_thread) == 128, "a line");
_Static_assert(sizeof(struct abi_stack_node) == 56, "no padding that differs between ABIs");
_Static_assert(sizeof(struct abi_sample) == 40, "no padding that differs between ABIs");
_Static_assert(sizeof(struct abi_block) == 48, "no padding that differs between ABIs");
_Static_assert(sizeof(struct abi_sampling) == 208, "no padding that differs between ABIs");

/* ---- Reading ---- */

/* All that a sampler left in a trace. It is checked: every index in a record, 0 and the likes of
 * ABI_STACK_NO_NODE apart, is below the count of what it points to, every parent below its node and
 * of its thread, every id at most ABI_MAX_ID, every state and kind one of the above, and names end.
 * Times may be any. */
struct abi_sampling_view {
    struct abi_sampling sampling;
    const struct abi_sample_thread *threads;
    size_t thread_count;
    const struct abi_stack_node *nodes;
    size_t node_count;
    const struct abi_lock *locks;
    size_t lock_count;
    const struct abi_sample *samples[2]; /* oldest first, in two runs */
    size_t sample_counts[2];
    const struct abi_block *blocks[2]; /* oldest first, in two runs */
    size_t block_counts[2];
    uint64_t ns_per_unit;    /* of all times above, as in the header of the trace */
    uint64_t lapped_samples; /* written before these, and overwritten since */
    uint64_t lost_threads;   /* that there was no room for */
    uint64_t lost_nodes;
    uint64_t lost_blocks; /* waits that ended faster than they were written, or overwritten since */
    /* Records that the file is too short for or that make no sense, and those that were left out
     * with them: of a table all from the first of them on, of a ring all before the last. */
    uint64_t damaged;
    struct mb_buf copies[6]; /* what is not as the file has it */
};

/* *view is empty where the trace has no samples. What is not copied is borrowed from the trace.
 * Fails without memory only; finish also then. */
MB_MUST_CHECK enum mb_status abi_sampling_open(struct abi_sampling_view *view,
                                               const struct abi_tracefile *trace,
                                               struct mb_error *err);
void abi_sampling_finish(struct abi_sampling_view *view);

#endif
