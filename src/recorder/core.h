/* The one recorder of the process, its lock, and what each thread keeps for it. */

#ifndef RECORDER_CORE_H
#define RECORDER_CORE_H

#include "abi/tracefile.h"
#include "base/check.h"
#include "recorder/methodbeat.h"
#include "recorder/throttle.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define BEAT_MARK_COUNT 64u
#define BEAT_MAIN_RING 0u /* its index */
#define BEAT_PATH_SIZE 1024u
#define BEAT_AUTO_FILE "auto"

/* Sessions are numbered; odd ones are open for recording. */
#define BEAT_NO_SESSION 0u /* never present */
#define BEAT_FIRST_IDLE 2u

enum beat_phase {
    BEAT_IDLE,    /* nothing yet: the first beat_i begins */
    BEAT_WAITING, /* recording, but beat_start was not called */
    BEAT_STARTED,
    BEAT_STOPPED, /* or released, or a forked child: only beat_start begins again */
};

struct beat_memory; /* recorder/memory.h */

struct beat_lanes {
    uint64_t words_offset; /* of the first */
    uint32_t used;         /* the number that have been given out, from the first */
    uint32_t ended;        /* of these, may be given out again */
    uint32_t next;         /* where to look for one of them */
};

struct beat_recorder {
    _Atomic(uint32_t) session; /* written under the lock */
    pthread_mutex_t lock;      /* for all that follows */
    enum beat_phase phase;
    uint32_t recorded_session;    /* whose words memory holds, also when stopped; or none */
    bool java_writes;             /* into rings of threads: see recorder/foreign.h */
    bool keeper_runs;             /* there is a thread that keeps sessions */
    bool expects_names;           /* recorder/method_names.h */
    uint32_t full_session;        /* the last one that reported a full disk */
    bool expects_samples;         /* recorder/sections.h */
    struct beat_options *options; /* as of the present session; strings are not kept */
    char file[BEAT_PATH_SIZE];    /* "" when in memory */
    _Atomic(bool) has_profile;    /* the recorded session has one */
    uint64_t claims;              /* rings given out, ever */
    struct beat_lanes lanes;      /* of the recorded session */
    struct beat_memory *memory;   /* of the recorded session; NULL before the first */

    /* Views of memory; fixed while a session is open. */
    struct abi_trace_header *header;
    struct abi_trace_ring *rings;
    struct abi_trace_mark *marks;
};

extern struct beat_recorder beat_recorder;

/* All that a probe needs to write to one half of a ring. Each ring of a memory has two cursors,
 * side by side. At the end of a half the probe goes on with the other cursor and wakes the keeper,
 * which then has the time of half a ring to drain. Cursors are filled under the lock when a thread
 * gets the ring; then they belong to that thread, except low_index: the end of the session sets it
 * to BEAT_CLOSED, and the next probe attaches its thread anew.
 *
 * A thread may lose the CPU in the middle of a probe for any time, and a signal handler may run
 * there. Meanwhile the session may end, zero pages or a file may replace the memory, and other
 * sessions may begin and end. The late store then depends on the cursor that the probe began with,
 * and on the count that it finds in the ring, which may be anything. But words_end never changes in
 * the life of the process, low_index has one of two values, and an index that is not above it is
 * refused: the store stays inside its ring, or does not happen. No other thread has that ring's
 * memory either: no session reuses it before this thread has attached anew or ended, and so has
 * left the probe. (In one case a record is lost, never more: a signal handler attaches anew inside
 * a probe of its own thread, and that probe goes on only after two more restarts.) */
struct beat_cursor {
    alignas(ABI_TRACE_LINE) struct abi_trace_ring *ring; /* whose written is the shared truth */
    _Atomic(uint64_t) *words_end;
    _Atomic(uint64_t) low_index; /* below the slots' indexes from words_end, -count to -1 */
    uint64_t end;                /* position of the word after the last slot */
    const _Atomic(uint64_t) *coarse_time; /* NULL with the counter */
    uint64_t counter_start;
    uint32_t counter_shift;
    struct abi_trace_header *header;
    uint64_t capacity;         /* of the ring */
    uint64_t end_slot;         /* after the half's last */
    struct beat_cursor *other; /* of the other half */
};

#define BEAT_CLOSED UINT64_MAX

extern struct beat_cursor beat_nobody; /* of threads without a ring; always closed */

struct beat_thread {
    struct beat_cursor *cursor;      /* never NULL */
    struct beat_memory *memory;      /* that we may still store to, and hold a pin of; or NULL */
    struct beat_memory *java_memory; /* the same for what Java stores on this thread */
    struct beat_memory *lane_memory; /* the same for lanes, which no thread owns */
    uint32_t lane_session;           /* whose memory that is */
    uint32_t thread_id;
    uint32_t claim;                 /* of cursor's ring */
    uint32_t refused_session;       /* had no ring for us */
    int queue;                      /* what recorder/readings.c has kept open, 0 if nothing yet */
    uint32_t lost;                  /* probes since it was refused */
    bool refused_as_other;          /* only the main thread is to be recorded: nothing is lost */
    _Atomic(bool) busy;             /* inside the recorder: a signal handler's probe is let go */
    bool has_waited;                /* in vain for the lock: it waits no more until it gets it */
    bool ended;                     /* past the recorder's last destructor */
    bool is_in_message;             /* keeps the coarse clock going */
    char name[ABI_TRACE_NAME_SIZE]; /* "": the system's */
};

/* In the thread's own memory: no other thread ever touches it. */
extern MB_THREAD_LOCAL struct beat_thread beat_thread;

/* The recorder's lock. Until beat_unlock, probes in signal handlers on this thread are skipped
 * instead of waiting for it. */
struct beat_recorder *beat_lock(void);

/* The same for a probe, which may run in a signal handler whose thread holds a lock of the C
 * library (malloc, thread stacks) that the holder of this lock waits for. NULL after a few seconds,
 * against deadlock: the record is then lost, and counted in refused_words. The next ones do not
 * wait, or a thread whose signals come faster than that would do nothing but handle them. */
struct beat_recorder *beat_lock_for_probe(void);
void beat_unlock(struct beat_recorder *recorder);

/* Does the calling thread have the lock? For asserts. Relaxed: only
 * handlers on this very thread read it meanwhile. */
static inline bool beat_has_lock(void)
{
    return atomic_load_explicit(&beat_thread.busy, memory_order_relaxed);
}

/* Is a session of that number open for recording? */
static inline bool beat_is_open(uint32_t session)
{
    return (session & 1) != 0;
}

/* The number of the present session. Under the lock. */
uint32_t beat_present(const struct beat_recorder *recorder);

/* Is memory that of the present session, which is open? The number of that may be a later one: see
 * confirm_session (session.c). Under the lock. */
static inline bool beat_is_present(const struct beat_recorder *recorder)
{
    return recorder->recorded_session != BEAT_NO_SESSION && beat_is_open(beat_present(recorder));
}

/* One line to options.log or stderr. */
void beat_log(const struct beat_options *options, const char *format, ...) MB_PRINTF(2, 3);

#endif
