/* The one recorder of the process, and the cursor through which a thread writes to its ring. */

#ifndef RECORDER_RECORDER_H
#define RECORDER_RECORDER_H

#include "abi/tracefile.h"
#include "base/check.h"
#include "recorder/memory.h"
#include "recorder/methodbeat.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define BEAT_MARK_COUNT 64u
#define BEAT_PATH_SIZE 1024u

/* Sessions are numbered; odd ones are open for recording. A cursor serves one session: when it is
 * not the present one, the cursor has to be attached again. */
#define BEAT_NO_SESSION 0u /* what a new cursor has; never present */
#define BEAT_FIRST_IDLE 2u

enum beat_phase {
    BEAT_IDLE,    /* nothing yet: the first beat_i begins */
    BEAT_WAITING, /* recording, but nobody has started us */
    BEAT_STARTED,
    BEAT_STOPPED, /* or released, or a forked child: only beat_start begins again */
};

struct beat_recorder {
    alignas(ABI_TRACE_LINE) _Atomic(uint32_t) session; /* for every probe; written under lock */

    alignas(ABI_TRACE_LINE) pthread_mutex_t lock; /* for all that follows */
    enum beat_phase phase;
    uint32_t recorded_session;           /* whose words memory holds, also when stopped; or none */
    bool foreign_writer;                 /* Java stores into the main ring */
    struct beat_options options;         /* as of the present session; strings are not kept */
    char main_name[ABI_TRACE_NAME_SIZE]; /* of the main thread, from Java; "": the system's */
    char file[BEAT_PATH_SIZE];           /* "" when in memory */
    struct beat_memory memory;
    struct beat_memory retired; /* of the session before: reused by the session after */
    uint64_t claims;            /* rings given out, ever */

    /* Views of memory; fixed while a session is open. */
    struct abi_trace_header *header;
    struct abi_trace_ring *rings;
    struct abi_trace_mark *marks;
};

extern struct beat_recorder beat_recorder; /* session.c */

/* Everything a probe needs, in the thread's own memory: no other thread ever touches it. */
struct beat_cursor {
    uint32_t session;
    uint32_t ring_index;
    struct abi_trace_header *header;
    struct abi_trace_ring *ring; /* whose written is the shared truth */
    _Atomic(uint64_t) *words;
    uint64_t capacity;
    uintptr_t lap_base; /* where the word of position 0 would be, if this lap had begun there */
    uint64_t lap_end;   /* position of the word behind the last slot */
    const _Atomic(uint64_t) *coarse_time; /* NULL with the counter */
    uint64_t counter_start;
    uint32_t counter_shift;
    uint32_t min_units; /* calls shorter than this vanish at their exit; 0: none */

    uint32_t refused_session; /* had no ring for us */
    uint32_t claim;
    uint32_t thread_id;
    uint32_t lost;         /* probes since it was refused */
    bool refused_as_other; /* only the main thread is to be recorded: nothing is lost */
    bool attaching;        /* a signal handler's probe inside attach is let go */
    bool named;            /* by beat_name_thread: keep it at the end */
    bool ended;            /* the thread is past its last destructor of ours */
};

/* Position is the first of a lap: its word goes to slot 0. */
static inline void beat_cursor_begin_lap(struct beat_cursor *cursor, uint64_t position)
{
    cursor->lap_base = (uintptr_t)cursor->words - position * sizeof(*cursor->words);
    cursor->lap_end = position + cursor->capacity;
}

/* The calling thread's cursor, attached to the present session; NULL if it is not recorded. */
struct beat_cursor *beat_own_cursor(void);

/* In a forked child: the calling thread has another id and no ring. */
void beat_forget_cursor(void);

/* One line to options.log or stderr. */
void beat_log(const struct beat_options *options, const char *format, ...) MB_PRINTF(2, 3);

#endif
